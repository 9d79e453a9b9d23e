import { expect, it, vi } from 'vitest'
import { createIndexCompletion } from '../../src/clients/complete-indexes.ts'
import { createSecrets } from '../../src/clients/leaked-secrets.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { pausingStore } from '../support/pausing-store.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { createSecretOwners } from '../../src/clients/secret-owners.ts'
import { newSecret } from '../support/secrets.ts'
import { describeOnEachStore, services } from './setup.ts'

describeOnEachStore('the clients of an older version', ({ open }) => {
  /** Creates two clients of each kind, and forgets to whom their secrets belong. */
  async function oldClients() {
    const { store, pauseBefore } = pausingStore(open())
    const { apiKeys, applications } = services(store)
    const secrets: string[] = []
    for (const service of [apiKeys, applications, apiKeys, applications]) {
      const secret = newSecret()
      await service.create({ accountId: 'acme', name: 'Old', secretHash: hashSecret(secret) })
      await createSecretOwners(store).remove(hashSecret(secret), { kind: 'apiKey', clientId: 'any' })
      secrets.push(secret)
    }
    const { findEach } = createSecrets({ store, apiKeys, applications })
    const found = async () => (await findEach(secrets)).filter((each) => each?.isValid).length
    return { store, pauseBefore, found }
  }

  it('their secrets lead to them after the next start, and the health warns until then', async () => {
    const { store, pauseBefore, found } = await oldClients()
    expect(await found()).toBe(0)
    const completion = createIndexCompletion(store, silentLogger)
    expect(completion.check()).toEqual([])
    const lastWrite = pauseBefore('set clients-indexed')
    const stop = completion.start()
    await lastWrite.reached
    expect(await completion.isComplete(0)).toBe(false)
    expect(completion.check()).toMatchObject([
      { status: 'warn', message: expect.stringMatching(/^4 clients of an older version are indexed so far/) },
    ])
    lastWrite.end()
    expect(await completion.isComplete(20_000)).toBe(true)
    expect(completion.check()).toEqual([])
    await stop()
    expect(await found()).toBe(4)
    expect(await store.get('clients-indexed')).toBe('1')
  })

  it('a stop ends the work, and the next start completes it', async () => {
    const { store, pauseBefore, found } = await oldClients()
    const first = createIndexCompletion(store, silentLogger)
    const secondKind = pauseBefore('range clients:application')
    const stop = first.start()
    await secondKind.reached
    const stopped = stop()
    secondKind.end()
    await stopped
    expect(await first.isComplete(0)).toBe(false)
    expect([await store.get('clients-indexed'), await found()]).toEqual([undefined, 2])
    const second = createIndexCompletion(store, silentLogger)
    const end = second.start()
    expect(await second.isComplete(20_000)).toBe(true)
    await end()
    expect(await found()).toBe(4)
  })

  it('a failure is logged, and the work begins again', async () => {
    const { store, arm } = faultyStore(open())
    const warn = vi.fn()
    const completion = createIndexCompletion(store, { ...silentLogger, warn }, 20)
    arm('get clients-indexed', 'rejected')
    const stop = completion.start()
    expect(await completion.isComplete(20_000)).toBe(true)
    await stop()
    expect(warn).toHaveBeenCalledOnce()
    expect(await store.get('clients-indexed')).toBe('1')
  })
})

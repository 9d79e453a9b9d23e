import { expect, it, vi } from 'vitest'
import { createIndexCompletion } from '../../src/clients/complete-indexes.ts'
import { createSecrets } from '../../src/clients/leaked-secrets.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { createSecretOwners } from '../../src/clients/secret-owners.ts'
import { newSecret } from '../support/secrets.ts'
import { describeOnEachStore, services } from './setup.ts'

describeOnEachStore('the clients of an older version', ({ open }) => {
  const COUNT = 450

  /** Creates clients, and forgets to whom their secrets belong. */
  async function oldClients() {
    const store = open()
    const { apiKeys, applications } = services(store)
    const secrets = await Promise.all(
      Array.from({ length: COUNT }, async (_, index) => {
        const secret = newSecret()
        const input = { accountId: `a${index}`, name: 'Old', secretHash: hashSecret(secret) }
        await (index % 2 === 0 ? apiKeys.create(input) : applications.create(input))
        await createSecretOwners(store).remove(hashSecret(secret), { kind: 'apiKey', clientId: 'any' })
        return secret
      }),
    )
    return {
      store,
      secrets,
      found: createSecrets({ store, apiKeys, applications }),
    }
  }

  it('their secrets lead to them after the next start, and the health warns until then', async () => {
    const { store, secrets, found } = await oldClients()
    expect((await found.findEach(secrets)).filter(Boolean)).toHaveLength(0)
    const completion = createIndexCompletion(store, silentLogger)
    expect(completion.check()).toEqual([])
    const stop = completion.start()
    expect(await completion.isComplete(0)).toBe(false)
    await vi.waitFor(() => expect(completion.check()).toMatchObject([{ status: 'warn' }]), { interval: 1 })
    expect(completion.check()[0]?.message).toMatch(/^\d+ clients of an older version are indexed so far/)
    expect(await completion.isComplete(20_000)).toBe(true)
    expect(completion.check()).toEqual([])
    await stop()
    expect((await found.findEach(secrets)).filter((each) => each?.isValid)).toHaveLength(COUNT)
    expect(await store.get('clients-indexed')).toBe('1')
  })

  it('a stop ends the work, and the next start completes it', async () => {
    const { store, secrets, found } = await oldClients()
    const first = createIndexCompletion(store, silentLogger)
    const stop = first.start()
    await vi.waitFor(() => expect(first.check()).toHaveLength(1), { interval: 1 })
    await stop()
    expect(await first.isComplete(300)).toBe(false)
    expect(await store.get('clients-indexed')).toBeUndefined()
    const second = createIndexCompletion(store, silentLogger)
    const end = second.start()
    expect(await second.isComplete(20_000)).toBe(true)
    await end()
    expect((await found.findEach(secrets)).filter(Boolean)).toHaveLength(COUNT)
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

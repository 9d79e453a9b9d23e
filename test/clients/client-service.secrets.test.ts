import { expect, it, vi } from 'vitest'
import { hasSecret } from '../support/secrets.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { atOnce, describeApiKeys, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeApiKeys('secrets of clients', (context) => {
  const { kind, stores } = context

  it('during a rotation both secrets are valid, and after the overlap only the new secret is valid', async () => {
    const process = await context.withClient()
    const { service, registry, clientId, clientSecret: old } = process
    vi.setSystemTime(START + 60_000)
    const rotated = await service.rotateSecret(clientId, { actor: 'ann' })
    const now = START / 1000 + 60
    expect(rotated).toEqual({
      clientSecret: expect.stringMatching(/^gatehouse_/),
      oldSecretExpiresAt: now + 86_400,
    })
    expect(process.emitted).toMatchObject([{ change: 'secret.rotated', actor: 'ann' }])
    expect(await service.listSecrets(clientId)).toEqual([
      expect.objectContaining({ createdAt: now, expiresAt: undefined }),
      expect.objectContaining({ createdAt: START / 1000, expiresAt: now + 86_400 }),
    ])
    const accepted = async () => {
      const found = (await registry.find(clientId))!
      const secrets = [rotated.clientSecret, old ?? '']
      return secrets.map((secret) => hasSecret(found, secret))
    }
    expect(await accepted()).toEqual([true, true])
    vi.setSystemTime((now + 86_400) * 1000 - 1)
    expect(await accepted()).toEqual([true, true])
    vi.setSystemTime((now + 86_400) * 1000)
    expect(await accepted()).toEqual([true, false])
    expect(await service.listSecrets(clientId)).toHaveLength(1)
  })

  it('a client has at most two live secrets, and revokeSecret revokes the chosen secret but never the only live secret', async () => {
    const process = await context.withClient()
    const { service, registry, clientId, clientSecret: first } = process
    const { clientSecret: second } = await service.rotateSecret(clientId)
    await expect(service.rotateSecret(clientId)).rejects.toThrow(failure('ERR_TWO_SECRETS'))

    await service.revokeSecret(clientId, 'new')
    const { clientSecret: third } = await service.rotateSecret(clientId)
    const fourth = await service.rotateSecret(clientId, { overlapSeconds: 0 })
    expect(fourth.oldSecretExpiresAt).toBeUndefined()
    await service.rotateSecret(clientId)
    await service.revokeSecret(clientId, 'new', { actor: 'ann' })
    expect(process.emitted.at(-1)).toMatchObject({ change: 'secret.revoked', target: 'new', actor: 'ann' })
    await expect(service.revokeSecret(clientId, 'new')).rejects.toThrow(failure('ERR_ONE_SECRET'))

    const found = (await registry.find(clientId))!
    const verified = [first, second, third, fourth.clientSecret].map((secret) => hasSecret(found, secret))
    expect(verified).toEqual([false, false, false, true])
  })

  it('exactly one of several concurrent rotations succeeds', async () => {
    const processes = [context.start(), context.start()] as const
    const [process] = processes
    const { clientId, clientSecret: first } = await context.created(process)
    const { done } = await atOnce(processes, 10, ({ service }) => service.rotateSecret(clientId))
    expect(done).toBe(1)
    const found = (await process.registry.find(clientId))!
    expect(hasSecret(found, first)).toBe(true)
  })

  it('setting the hash of a secret revokes all other secrets, and is unchanged when it is repeated', async () => {
    const { service, registry, emitted, clientId, clientSecret: first } = await context.withClient()
    const second = (await service.rotateSecret(clientId)).clientSecret
    emitted.length = 0
    const given = 'a secret of the host, 0123456789'
    for (let times = 0; times < 2; times += 1) {
      await service.setSecretHash(clientId, hashSecret(given), { actor: 'ann' })
    }
    const found = (await registry.find(clientId))!
    expect([first, second, given].map((secret) => hasSecret(found, secret))).toEqual([false, false, true])
    expect(found.epoch).toBe(0)
    const event = { event: 'client.changed', kind, clientId, accountId: 'acme', actor: 'ann' }
    expect(emitted).toEqual([{ ...event, change: 'secret.rotated' }])
    await service.rotateSecret(clientId)
    await service.setSecretHash(clientId, hashSecret(given))
    expect(await service.listSecrets(clientId)).toHaveLength(1)
    await expect(service.setSecretHash(clientId, given)).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
  })

  it('plain secrets are not in the store, in results or in events', async () => {
    const { store, calls } = watched(stores.open())
    const process = await context.withClient({}, store)
    const { clientId, clientSecret } = process
    const rotated = await process.service.rotateSecret(clientId)
    const secrets = [clientSecret, rotated.clientSecret]
    const written = JSON.stringify(calls)
    expect(written).toContain(hashSecret(clientSecret))
    const answers = [
      await process.service.find(clientId),
      await process.service.list(),
      await process.service.listByOwner('acme'),
      await process.service.update(clientId, { name: 'New' }),
      await process.service.disable(clientId),
      await process.service.listSecrets(clientId),
      await process.registry.find(clientId),
      process.emitted,
    ]
    for (const secret of secrets) {
      expect(written).not.toContain(secret)
      expect(written).not.toContain(secret.slice('gatehouse_'.length))
      for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(secret)
      for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(hashSecret(secret).slice(7))
    }
  })
})

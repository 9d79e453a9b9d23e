import { beforeAll, expect, it } from 'vitest'
import { createSecrets } from '../../src/clients/leaked-secrets.ts'
import { createClientKey, type ClientKey } from '../support/client-keys.ts'
import { atOnce, describeApiKeys, failure, START } from './each-kind.ts'

describeApiKeys('public keys of clients', (context) => {
  let keys: ClientKey[]
  beforeAll(async () => {
    keys = await Promise.all(Array.from({ length: 12 }, () => createClientKey()))
  })
  const jwk = (index: number, kid = `k${index}`) => ({ ...keys[index]?.jwk, kid })

  it('a client can be created with keys and without a secret, and again with the same idempotency key', async () => {
    const { service } = context.start()
    const input = { accountId: 'acme', name: 'Test', jwks: { keys: [jwk(0), keys[1]?.pem ?? ''] } }
    const create = service.create as (input: object, options: object) => Promise<Record<string, unknown>>
    const created = await create(input, { idempotencyKey: 'once' })
    const client = created[context.kind] as { clientId: string; noSecret?: string; jwks: { keys: object[] } }
    expect(created['clientSecret']).toBeUndefined()
    expect(client.noSecret).toBeUndefined()
    expect(client.jwks.keys).toHaveLength(2)
    expect(client.jwks.keys[0]).toEqual({ ...jwk(0), use: 'sig', iat: START / 1000 })
    const again = await create(input, { idempotencyKey: 'once' })
    expect(again[context.kind]).toEqual(client)
    expect(await service.listSecrets(client.clientId)).toEqual([])
    expect(await service.listKeys(client.clientId)).toMatchObject([
      { kid: 'k0', kty: 'EC', createdAt: START / 1000 },
      {},
    ])
  })

  it('keys are added and removed, each change is one event, and a repeat changes nothing', async () => {
    const { service, emitted, clientId } = await context.withClient()
    await service.addKey(clientId, jwk(0), { actor: 'ann' })
    await service.addKey(clientId, jwk(0))
    await service.addKey(clientId, jwk(1))
    expect((await service.listKeys(clientId)).map(({ kid }) => kid)).toEqual(['k1', 'k0'])
    await service.removeKey(clientId, 'k0')
    await service.removeKey(clientId, 'k0')
    expect(emitted).toMatchObject([
      { change: 'key.added', target: 'k0', actor: 'ann' },
      { change: 'key.added', target: 'k1' },
      { change: 'key.removed', target: 'k0' },
    ])
    expect((await service.find(clientId))?.epoch).toBe(0)
  })

  it('another key with the same id is a conflict, and an eleventh key is one too many', async () => {
    const { service, clientId } = await context.withClient()
    for (let index = 0; index < 10; index += 1) await service.addKey(clientId, jwk(index))
    await expect(service.addKey(clientId, jwk(11, 'k0'))).rejects.toThrow(failure('ERR_CONFLICT'))
    await expect(service.addKey(clientId, jwk(11))).rejects.toMatchObject({
      problems: [{ code: 'too-many' }],
    })
    expect(await service.listKeys(clientId)).toHaveLength(10)
  })

  it('the last key and the last secret cannot both go', async () => {
    const { service, clientId } = await context.withClient()
    await service.addKey(clientId, jwk(0))
    await service.revokeSecret(clientId, 'new')
    expect((await service.find(clientId))?.noSecret).toBeUndefined()
    await expect(service.removeKey(clientId, 'k0')).rejects.toThrow(failure('ERR_ONE_SECRET'))
    await service.rotateSecret(clientId)
    await service.removeKey(clientId, 'k0')
    await expect(service.revokeSecret(clientId, 'new')).rejects.toThrow(failure('ERR_ONE_SECRET'))
  })

  it('of a removal of the key and a revocation of the secret at the same time, at most one is made', async () => {
    const store = context.stores.open()
    const processes = [context.start(store), context.start(store)] as const
    for (let round = 0; round < 10; round += 1) {
      const { clientId } = await context.created(processes[0])
      await processes[0].service.addKey(clientId, jwk(0))
      const { done } = await atOnce(processes, 2, ({ service }, index) =>
        index === 0 ? service.removeKey(clientId, 'k0') : service.revokeSecret(clientId, 'new'),
      )
      expect(done).toBe(1)
      expect((await processes[1].service.find(clientId))?.noSecret).toBeUndefined()
    }
  })

  it('reportCompromised revokes all secrets, keys and access tokens', async () => {
    const { service, clientId } = await context.withClient()
    await service.addKey(clientId, jwk(0))
    await service.reportCompromised(clientId)
    expect(await service.find(clientId)).toMatchObject({ noSecret: 'compromised', epoch: 1 })
    expect(await service.listKeys(clientId)).toEqual([])
    await service.addKey(clientId, jwk(1))
    expect((await service.find(clientId))?.noSecret).toBeUndefined()
  })

  it('a client cannot be created with wrong keys, the same key or id twice, or with an existing secret', async () => {
    const { service } = context.start()
    const rejected: [jwks: unknown, path: string, code: string, more?: object][] = [
      [{ keys: [] }, 'jwks', 'empty'],
      [{ keys: 'x' }, 'jwks.keys', 'type'],
      [[], 'jwks', 'type'],
      [{ keys: ['x'] }, 'jwks.keys[0]', 'public-key'],
      [{ keys: Array.from({ length: 11 }, () => 'x') }, 'jwks', 'too-many'],
      [{ keys: [jwk(0), jwk(1, 'k0')] }, 'jwks', 'duplicate'],
      [{ keys: [jwk(0), jwk(0, 'other')] }, 'jwks', 'duplicate'],
      [{ keys: [jwk(0)] }, 'jwks', 'not-allowed', { secretHash: `sha256:${'A'.repeat(43)}` }],
    ]
    for (const [jwks, path, code, more] of rejected) {
      const input = { accountId: 'acme', name: 'Test', jwks, ...more } as never
      await expect(service.create(input)).rejects.toMatchObject({ problems: [{ path, code }] })
    }
  })

  it('a key that the client has already cannot be added with another id', async () => {
    const process = await context.withClient()
    const { clientId } = process
    await process.service.addKey(clientId, jwk(0))
    await expect(process.service.addKey(clientId, jwk(0, 'other'))).rejects.toThrow(failure('ERR_CONFLICT'))
    await process.service.removeKey(clientId, 'k0')
    expect(await process.service.listKeys(clientId)).toEqual([])
  })

  it('a leaked key is revoked at all clients that have it, in any order of registration', async () => {
    const process = context.start()
    const secrets = createSecrets({ ...process, store: process.dependencies.store })
    const victim = await context.created(process)
    const thief = await context.created(process, { accountId: 'thief' })
    const former = await context.created(process, { accountId: 'former' })
    for (const { clientId } of [victim, thief, former]) await process.service.addKey(clientId, jwk(0))
    await process.service.removeKey(former.clientId, 'k0')
    const leaked = keys[0]?.privatePem ?? ''
    const found = await secrets.find(leaked)
    const ids = [found, ...(found?.others ?? [])].map((each) => each?.clientId)
    expect(new Set(ids)).toEqual(new Set([victim.clientId, thief.clientId, former.clientId]))
    expect(ids).toHaveLength(3)
    expect(found?.isValid).toBe(true)
    const inAccount = await secrets.findIn('acme', leaked)
    expect([inAccount?.clientId, inAccount?.others]).toEqual([victim.clientId, []])
    expect(await secrets.findIn('other', leaked)).toBeUndefined()

    await secrets.reportLeaked(leaked)
    for (const { clientId } of [victim, thief, former]) {
      expect(await process.service.listKeys(clientId)).toEqual([])
      expect((await process.service.find(clientId))?.epoch).toBe(1)
    }
    await secrets.reportLeaked(leaked)
    expect((await process.service.find(victim.clientId))?.epoch).toBe(1)
    // The key cannot be registered again.
    await expect(process.service.addKey(victim.clientId, jwk(0))).rejects.toMatchObject({
      problems: [{ path: 'key', code: 'key-leaked' }],
    })
  })

  it('a client that registered the public key of another client cannot block it by reporting itself', async () => {
    const process = context.start()
    const victim = await context.created(process)
    const thief = await context.created(process, { accountId: 'thief' })
    await process.service.addKey(thief.clientId, jwk(0))
    await process.service.reportCompromised(thief.clientId)
    await process.service.addKey(victim.clientId, jwk(0))
    expect(await process.service.listKeys(victim.clientId)).toHaveLength(1)
  })

  it('a leaked key is revoked at all clients although one of them was deleted meanwhile', async () => {
    const process = context.start()
    const secrets = createSecrets({ ...process, store: process.dependencies.store })
    const clients = [
      await context.created(process),
      await context.created(process),
      await context.created(process),
    ]
    for (const { clientId } of clients) await process.service.addKey(clientId, jwk(0))
    const leaked = keys[0]?.privatePem ?? ''
    const found = await secrets.find(leaked)
    await process.service.delete(found?.clientId ?? '')
    await expect(secrets.revoke(found!, leaked, {})).rejects.toThrow(failure('ERR_NOT_FOUND'))
    for (const { clientId } of clients.filter((each) => each.clientId !== found?.clientId)) {
      expect(await process.service.listKeys(clientId)).toEqual([])
    }
  })

  it('the trail never has a leaked private key', async () => {
    const process = context.start()
    const secrets = createSecrets({ ...process, store: process.dependencies.store })
    const { clientId } = await context.created(process)
    await process.service.addKey(clientId, jwk(0))
    const { privatePem = '', privateJwk } = keys[0] ?? {}
    const leakUrl = `https://paste.example/?q=${encodeURIComponent(privatePem)}&d=${privateJwk?.d}`
    await secrets.reportLeaked(privatePem, { leakUrl: leakUrl.slice(0, 1000), leakSource: privateJwk?.d })
    const trail = JSON.stringify(await process.audit.list({ accountId: 'acme' }))
    expect(trail).toContain('https://paste.example/…')
    expect(trail).not.toContain(String(privateJwk?.d))
    expect(trail).not.toContain(privatePem.split('\n')[1])
  })
})

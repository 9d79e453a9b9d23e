import { expect, it, vi } from 'vitest'
import { hasSecret } from '../support/secrets.ts'
import { describeApiKeys, failure, START } from './each-kind.ts'

describeApiKeys('reporting that a client is compromised', (context) => {
  const tokenOf = (clientId: string, epoch: number) => ({
    tokenId: 't',
    clientId,
    scopes: [],
    keyId: 'k',
    expiresAt: 2_000_000_000,
    claims: { access_epoch: epoch },
  })

  it('reportCompromised immediately revokes all secrets and tokens, makes no new secret and emits one event', async () => {
    const { service, registry, emitted, revoked, set, clientId, clientSecret } = await context.withClient({
      products: ['invoices'],
    })
    const { clientSecret: second } = await service.rotateSecret(clientId)
    expect(await service.listSecrets(clientId)).toHaveLength(2)
    emitted.length = 0
    expect(await service.reportCompromised(clientId, { actor: 'ops' })).toBeUndefined()

    const found = (await registry.find(clientId))!
    for (const secret of [clientSecret, second]) {
      expect(hasSecret(found, secret)).toBe(false)
    }
    expect(await service.listSecrets(clientId)).toEqual([])
    const epochs = [0, 1].filter((epoch) => set.isTokenRevoked(tokenOf(clientId, epoch)))
    expect(epochs).toEqual([0])
    expect(found.epoch).toBe(1)
    const who = { kind: 'apiKey', clientId, accountId: 'acme', actor: 'ops' }
    expect(emitted).toEqual([{ event: 'client.compromised', ...who }])
    expect(revoked).toEqual([{ of: 'client', id: clientId, actor: 'ops' }])
    expect(await service.reportCompromised(clientId)).toBeUndefined()
    expect(emitted).toHaveLength(1)
    expect(await service.find(clientId)).toMatchObject({ epoch: 1, disabled: false })
  })

  it('a compromised client is still listed and can be changed, and rotateSecret creates a new secret for the client', async () => {
    const { service, registry, clientId } = await context.withClient()
    await service.reportCompromised(clientId)
    for (const which of ['old', 'new'] as const) {
      expect(await service.revokeSecret(clientId, which)).toMatchObject({ clientId })
    }
    await service.update(clientId, { name: 'Still here' })
    expect((await service.list()).items).toMatchObject([{ clientId, name: 'Still here' }])
    const { clientSecret, oldSecretExpiresAt } = await service.rotateSecret(clientId)
    expect(oldSecretExpiresAt).toBeUndefined()
    expect(hasSecret((await registry.find(clientId))!, clientSecret)).toBe(true)
    expect(await service.listSecrets(clientId)).toMatchObject([{ createdAt: START / 1000 }])
  })

  it('reportCompromised rejects a missing client, a client of the other kind and an unknown option', async () => {
    const process = await context.withClient()
    const { clientId } = process
    await expect(process.service.reportCompromised('missing')).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(process.applications.reportCompromised(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(process.service.reportCompromised(clientId, { by: 'ops' } as never)).rejects.toThrow(
      failure('ERR_INVALID_ARGUMENT'),
    )
    expect(await process.service.listSecrets(clientId)).toHaveLength(1)
  })

  it('reportCompromised and a concurrent rotation are each applied as a whole', async () => {
    const { service, clientId } = await context.withClient()
    vi.useRealTimers()
    await Promise.all([service.reportCompromised(clientId), service.rotateSecret(clientId)])
    const secrets = await service.listSecrets(clientId)
    expect(secrets.length).toBeLessThanOrEqual(1)
    expect((await service.find(clientId))?.epoch).toBe(1)
  })
})

import { expect, it, vi } from 'vitest'
import { hasSecret } from '../support/secrets.ts'
import { describeEachKind, failure, START } from './each-kind.ts'

describeEachKind('reporting that a client is compromised', (context) => {
  const { kind } = context
  const tokenOf = (clientId: string, epoch: number) => ({
    tokenId: 't',
    clientId,
    scopes: [],
    keyId: 'k',
    expiresAt: 2_000_000_000,
    claims: { access_epoch: epoch },
  })

  it('reportCompromised immediately revokes all secrets and tokens, makes no new secret and emits one event', async () => {
    const process = context.start()
    const { service, registry, emitted, revoked, set } = process
    const { clientId, clientSecret } = await context.created(process, { products: ['invoices'] })
    const { clientSecret: second } = await service.rotateSecret(clientId)
    expect(await service.listSecrets(clientId)).toHaveLength(2)
    emitted.length = 0
    expect(await service.reportCompromised(clientId, { actor: 'ops' })).toBeUndefined()

    const found = (await registry.find(clientId))!
    for (const secret of [clientSecret, second]) {
      expect(hasSecret(found, secret)).toBe(false)
    }
    expect(await service.listSecrets(clientId)).toEqual([])
    expect([set.isTokenRevoked(tokenOf(clientId, 0)), set.isTokenRevoked(tokenOf(clientId, 1))]).toEqual([
      true,
      false,
    ])
    expect(found.epoch).toBe(1)
    expect(emitted).toEqual([
      { event: 'client.compromised', kind, clientId, accountId: 'acme', actor: 'ops' },
    ])
    expect(revoked).toEqual([{ of: 'client', id: clientId, actor: 'ops' }])
  })

  it('a second call of reportCompromised changes nothing and emits nothing', async () => {
    const process = context.start()
    const { clientId } = await context.created(process)
    await process.service.reportCompromised(clientId)
    process.emitted.length = 0
    await process.service.reportCompromised(clientId)
    expect(process.emitted).toEqual([])
    expect(await process.service.find(clientId)).toMatchObject({ epoch: 1, disabled: false })
  })

  it('a compromised client is still listed and can be changed, and rotateSecret creates a new secret for the client', async () => {
    const process = context.start()
    const { service, registry } = process
    const { clientId } = await context.created(process)
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
    const process = context.start()
    const { clientId } = await context.created(process)
    const other = kind === 'apiKey' ? process.applications : process.apiKeys
    await expect(process.service.reportCompromised('missing')).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(other.reportCompromised(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(process.service.reportCompromised(clientId, { by: 'ops' } as never)).rejects.toThrow(
      failure('ERR_INVALID_ARGUMENT'),
    )
    expect(await process.service.listSecrets(clientId)).toHaveLength(1)
  })

  it('reportCompromised notifies other processes of the change', async () => {
    const process = context.start()
    const { clientId } = await context.created(process)
    process.changed.length = 0
    await process.service.reportCompromised(clientId)
    expect(process.changed).toEqual([clientId])
  })

  it('reportCompromised and a concurrent rotation are each applied as a whole', async () => {
    const process = context.start()
    const { service } = process
    const { clientId } = await context.created(process)
    vi.useRealTimers()
    await Promise.all([service.reportCompromised(clientId), service.rotateSecret(clientId)])
    const secrets = await service.listSecrets(clientId)
    expect(secrets.length).toBeLessThanOrEqual(1)
    expect((await service.find(clientId))?.epoch).toBe(1)
  })
})

import { expect, it, vi } from 'vitest'
import { auditOf } from '../audit/setup.ts'
import { commitsOf, finishersOf } from '../support/commits.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { describeApiKeys, START } from './each-kind.ts'

const by = { actor: 'ann', address: '192.0.2.1', userAgent: 'curl/8.5' }

describeApiKeys('the audit trail of clients', (context) => {
  it('the life of a client reads as a story, and contains no secret', async () => {
    const process = await context.withClient({
      ...by,
      userId: 'u',
      products: ['invoices'],
    })
    const { service, audit, clientId, clientSecret } = process
    await service.update(clientId, { name: 'New' }, by)
    await service.addProduct(clientId, 'payments', by)
    await service.removeOperation(clientId, 'payments:transfer', by)
    const { clientSecret: second } = await service.rotateSecret(clientId, by)
    await service.revokeSecret(clientId, 'old', by)
    await service.disable(clientId, by)
    await service.disable(clientId, by)
    await process.clientTokens.revokeAll(clientId, by)
    await service.reportCompromised(clientId, by)
    await service.delete(clientId, by)
    const { items } = await audit.list({ clientId })
    expect(
      items.toReversed().map(({ name, change, target }) => [name, change, target].filter(Boolean).join(' ')),
    ).toEqual([
      'client.created',
      'client.changed name',
      'client.changed product.added payments',
      'client.changed operation.removed payments:transfer',
      'client.changed secret.rotated',
      'client.changed secret.revoked old',
      'client.changed disabled',
      'client.changed tokens.revoked',
      'client.compromised',
      'client.deleted',
    ])
    for (const item of items) {
      expect(item).toMatchObject({
        ...by,
        kind: context.kind,
        clientId,
        accountId: 'acme',
        userId: 'u',
        outcome: 'success',
      })
    }
    expect((await audit.list({ actor: 'ann' })).items).toEqual(items)
    expect((await audit.list({ accountId: 'acme' })).items).toEqual(items)
    const text = JSON.stringify(items)
    for (const secret of [clientSecret, second]) expect(text).not.toContain(secret)
    expect(text).not.toContain('sha256:')
  })

  it('an entry about changed fields has their values before and after, long ones cut, and says whether tokens were revoked', async () => {
    const { service, applications, audit, clientId } = await context.withClient({
      name: 'Old',
      products: ['invoices'],
    })
    const allowedAddresses = ['203.0.113.7', '198.51.100.0/24']
    await service.update(clientId, { name: 'New', expiresAt: START / 1000 + 86_400 })
    await service.update(clientId, { name: 'New', expiresAt: null, allowedAddresses })
    await service.setLimits(clientId, { perMinute: 10 })
    await service.setProducts(clientId, ['payments'])
    await service.disable(clientId)
    const story = async (id: string) =>
      (await audit.list({ clientId: id })).items
        .toReversed()
        .slice(1)
        .map(({ change, before, after, revokedTokens }) => ({ change, before, after, revokedTokens }))
    const expiresAt = new Date(START + 86_400_000).toISOString().replace('.000Z', 'Z')
    expect(await story(clientId)).toEqual([
      {
        change: 'name,expiresAt',
        before: { name: 'Old' },
        after: { name: 'New', expiresAt },
        revokedTokens: true,
      },
      {
        change: 'name,expiresAt,allowedAddresses',
        before: { expiresAt },
        after: { allowedAddresses },
        revokedTokens: true,
      },
      { change: 'limits', after: { limits: { perMinute: 10 } } },
      {
        change: 'products',
        before: { products: ['invoices'] },
        after: { products: ['payments'] },
        revokedTokens: true,
      },
      { change: 'disabled', revokedTokens: true },
    ])

    const redirectUris = Array.from({ length: 9 }, (_, at) => `https://app.example/${'x'.repeat(60)}/${at}`)
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    await applications.update(application.clientId, { redirectUris })
    const cut = `${JSON.stringify(redirectUris).slice(0, 500)}…`
    expect(await story(application.clientId)).toEqual([
      { change: 'redirectUris', before: { redirectUris: [] }, after: { redirectUris: cut } },
    ])
  })

  it('a change that fails because of the caller has no entry', async () => {
    const process = await context.withClient()
    const { clientId } = process
    await expect(context.created(process, { clientId })).rejects.toThrow('is taken')
    await expect(process.service.addProduct(clientId, 'unknown')).rejects.toThrow()
    await expect(process.service.update('key_unknown', { name: 'x' })).rejects.toThrow()
    expect((await process.audit.list()).items).toHaveLength(1)
  })

  it('if a process ends after any call of a change, the entry is there exactly if the change is', async () => {
    for (const fault of ['rejected', 'unanswered'] as const) {
      for (let call = 0; call < 20; call += 1) {
        const inner = context.stores.open()
        const first = context.start(inner)
        const { clientId } = await context.created(first)
        await first.settled()
        const faulty = faultyStore(inner)
        const process = context.start(faulty.store)
        await process.audit.list()
        faulty.arm(call, fault, { thenAway: true })
        await process.service.disable(clientId).catch(() => {})
        await process.settled()
        const isDisabled = (await first.service.find(clientId))?.disabled
        const now = () => Date.now() + 20_000
        const other = auditOf(inner, { now })
        const { finishAll } = commitsOf(inner, { audit: other, now })
        await finishAll(finishersOf(first.clientTokens.revocationsOf))
        await finishAll(finishersOf(first.clientTokens.revocationsOf))
        const { items } = await other.list({ clientId })
        expect([fault, call, items.filter(({ change }) => change === 'disabled').length]).toEqual([
          fault,
          call,
          isDisabled ? 1 : 0,
        ])
        expect(await inner.get(`client:${clientId}`)).not.toContain('"audit"')
      }
    }
  })

  it('a change that takes access away is made even if nothing can be written to the audit trail', async () => {
    const inner = context.stores.open()
    const away = new Proxy(inner, {
      get(target, name: keyof typeof inner) {
        const method = target[name]
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          if (/^(audit|changes):/.test(String(args[0]))) throw new Error('read ECONNRESET')
          return Reflect.apply(method, target, args) as unknown
        }
      },
    })
    const { clientId } = await context.created(context.start(inner))
    const process = context.start(away)
    expect(await process.service.disable(clientId)).toMatchObject({ disabled: true })
    await expect(process.service.enable(clientId)).rejects.toThrow('ECONNRESET')
    // The next change moves what could not be moved.
    vi.setSystemTime(START + 60_000)
    const later = context.start(inner)
    await later.service.update(clientId, { name: 'New' })
    const { items } = await later.audit.list({ clientId })
    expect(items.map(({ name, change = name }) => change)).toEqual(['name', 'disabled', 'client.created'])
    await later.settled()
    expect(await inner.get(`client:${clientId}`)).not.toContain('"audit"')
  })
})

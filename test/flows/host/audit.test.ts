import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditEntry, GatehouseEvents } from 'koa-gatehouse'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('the audit trail', (makeStore) => {
  let host: Host
  const events: { name: string; clientId?: string | undefined }[] = []
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    const names = [
      'client_authentication.failed',
      'sign_in.rejected',
    ] as const satisfies (keyof GatehouseEvents)[]
    for (const name of names) host.gatehouse.on(name, (event) => events.push({ name, ...event }))
  })
  afterAll(() => host.close())

  const entriesOf = async (clientId: string, trail: 'changes' | 'failures' = 'changes') =>
    (await host.gatehouse.audit.list({ clientId, trail })).items.toReversed()
  const names = (entries: readonly AuditEntry[]) => entries.map(({ name, change }) => change ?? name)
  const requester = { address: expect.stringContaining('127.0.0.1'), userAgent: expect.any(String) }

  it('the life of an application reads as a story, with the scopes and the requester', async () => {
    const application = await host.createApplication()
    const { client_id: clientId } = application
    await authorize(host, clientId, { deny: true })
    const { access_token, refresh_token } = await connect(host, application, {
      untick: ['payments:transfer'],
    })
    await host.post('/oauth2/revoke', { ...application, token: access_token })
    await host.refresh(application, refresh_token)
    await host.refresh(application, refresh_token)
    await host.gatehouse.applications.delete(clientId, { actor: 'ann', address: '192.0.2.1' })

    const entries = await entriesOf(clientId)
    expect(names(entries)).toEqual([
      'client.created',
      'consent.denied',
      'consent.approved',
      'token.revoked',
      'refresh_token.reused',
      'client.deleted',
    ])
    const [, denied, approved, revoked, reused, deleted] = entries
    const person = { clientId, accountId: 'alice' }
    expect(denied).toMatchObject({ ...person, denied: expect.arrayContaining(['invoices:read']) })
    expect(approved).toMatchObject({
      ...person,
      scopes: ['invoices:read', 'invoices:create', 'payments:list'],
      denied: ['payments:transfer'],
      grantId: expect.any(String),
      ...requester,
    })
    expect(revoked).toMatchObject({
      ...person,
      tokenId: expect.any(String),
      reason: 'client-revoked-token',
      ...requester,
    })
    expect(reused).toMatchObject({ ...person, outcome: 'failure', grantId: approved?.grantId, ...requester })
    expect(deleted).toMatchObject({ actor: 'ann', address: '192.0.2.1', accountId: 'acme' })
    const text = JSON.stringify(entries)
    for (const secret of [access_token, refresh_token, application.client_secret])
      expect(text).not.toContain(secret)
  })

  it('the revocation of grants, tokens and accounts is recorded with the actor', async () => {
    const application = await host.createApplication()
    const { client_id: clientId } = application
    const { access_token, refresh_token } = await connect(host, application)
    await host.gatehouse.tokens.revoke(access_token, { actor: 'ann' })
    await host.post('/oauth2/revoke', { ...application, token: refresh_token })
    await connect(host, application)
    await host.gatehouse.grants.revokeAll({ accountId: 'alice', clientId }, { actor: 'bob' })
    await host.gatehouse.tokens.revokeAll({ clientId }, { actor: 'carol' })
    const entries = await entriesOf(clientId)
    expect(names(entries)).toEqual([
      'client.created',
      'consent.approved',
      'token.revoked',
      'grant.revoked',
      // The person was not asked for consent again.
      'grant.revoked',
      'tokens.revoked',
    ])
    expect(entries.map(({ actor }) => actor)).toEqual([
      undefined,
      undefined,
      'ann',
      undefined,
      'bob',
      'carol',
    ])
    expect(entries[3]).toMatchObject({ accountId: 'alice', reason: 'client-revoked-token', ...requester })
    expect((await host.gatehouse.audit.list({ actor: 'bob' })).items).toEqual([entries[4]])
  })

  it('a code that is used twice is recorded once for each attempt', async () => {
    const application = await host.createApplication()
    const { code } = await authorize(host, application.client_id)
    for (let time = 0; time < 3; time += 1) await host.exchangeCode(application, code)
    expect(names(await entriesOf(application.client_id))).toContain('code.reused')
  })

  it('wrong secrets are counted, apart from the changes, and without the secret', async () => {
    const { client_id } = await host.createApiKey()
    for (let time = 0; time < 3; time += 1) {
      await host.requestDirectToken({ client_id, client_secret: 'a-wrong-secret' })
    }
    await host.requestDirectToken({ client_id: 'key_invented', client_secret: 'a-wrong-secret' })
    const failures = await entriesOf(client_id, 'failures')
    expect(failures).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Number),
        name: 'client_authentication.failed',
        outcome: 'failure',
        kind: 'apiKey',
        clientId: client_id,
        accountId: 'acme',
        count: 3,
        ...requester,
      },
    ])
    expect(names(await entriesOf(client_id))).toEqual(['client.created'])
    expect(events.filter(({ clientId }) => clientId === client_id)).toHaveLength(3)
    const all = JSON.stringify(await host.gatehouse.audit.list({ trail: 'failures' }))
    expect(all).not.toContain('a-wrong-secret')
    expect(all).not.toContain('key_invented')
  })

  it('rejected credentials are recorded without the identifier', async () => {
    const { client_id } = await host.createApplication()
    await authorize(host, client_id, { user: 'unknown-person' }).catch(() => {})
    const failures = await entriesOf(client_id, 'failures')
    expect(failures).toMatchObject([{ name: 'sign_in.rejected', outcome: 'failure', count: 1, ...requester }])
    expect(JSON.stringify(failures)).not.toContain('unknown-person')
    expect(events.filter(({ name }) => name === 'sign_in.rejected')).toHaveLength(1)
  })

  it('a rotation and a revocation of signing keys are recorded with their actor', async () => {
    const by = { actor: 'ops', address: '192.0.2.1' }
    const [before] = await host.gatehouse.signingKeys.list()
    await host.gatehouse.signingKeys.rotate(by)
    await host.gatehouse.signingKeys.revoke(before?.kid ?? '', by)
    const { items } = await host.gatehouse.audit.list({ actor: 'ops' })
    expect(items.filter(({ name }) => name === 'key.activated')).toHaveLength(2)
    expect(items.filter(({ name }) => name === 'key.revoked')).toMatchObject([{ keyId: before?.kid, ...by }])
    expect(JSON.stringify(items)).not.toContain('"d"')
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ConfirmedPermission } from 'koa-gatehouse'
import { describeEachStore } from '../../support/stores.ts'
import { browserOf, startManagement, type ManagementHost } from './setup.ts'

describeEachStore('requests to the management API that need a fresh sign-in', (makeStore) => {
  let host: ManagementHost
  const asked: { permission: ConfirmedPermission; returnTo: URL | undefined }[] = []
  const confirmed = new Set<ConfirmedPermission>()
  beforeAll(async () => {
    host = await startManagement({
      store: makeStore(),
      accounts: {
        confirm(_ctx, permission, { returnTo }) {
          asked.push({ permission, returnTo })
          return confirmed.has(permission) || '/prove?for=api'
        },
      },
    })
  })
  afterAll(() => host.close())

  const keyOf = async (accountId: string) =>
    (await host.gatehouse.apiKeys.create({ accountId, name: 'Ledger', products: ['invoices'] })).apiKey
      .clientId

  it('a script with a token gets 403 with the address, and nothing is done until it was confirmed', async () => {
    const clientId = await keyOf('acme')
    const application = await host.gatehouse.applications.create({ accountId: 'acme', name: 'App' })
    const { clientId: applicationId } = application.application
    const everything = async () => [
      await host.gatehouse.apiKeys.listByOwner('acme'),
      await host.gatehouse.applications.listByOwner('acme'),
      await host.gatehouse.apiKeys.listSecrets(clientId),
    ]
    const before = await everything()
    const requests = [
      ['acme', 'POST /api-keys', { name: 'New' }, 'keys:create'],
      ['acme', 'POST /applications', { name: 'New' }, 'applications:create'],
      ['acme', `POST /api-keys/${clientId}/secrets`, {}, 'keys:rotate'],
      ['acme', `POST /applications/${applicationId}/secrets`, {}, 'applications:rotate'],
      ['acme', `DELETE /api-keys/${clientId}`, undefined, 'keys:delete'],
      ['acme', `DELETE /applications/${applicationId}`, undefined, 'applications:delete'],
      ['root', 'POST /api-keys', { name: 'Edge', resourceServer: true }, 'keys:create'],
      ['root', 'POST /operator/accounts/acme/revoke', undefined, 'operator'],
      ['root', 'POST /operator/accounts/acme/users/anna/revoke', undefined, 'operator'],
      ['root', 'POST /operator/accounts/acme/erase', undefined, 'operator'],
      ['root', 'POST /operator/accounts/acme/users/anna/erase', undefined, 'operator'],
    ] as const
    for (const [person, request, body, permission] of requests) {
      asked.length = 0
      const answer = await host.api(person).call(request, body)
      expect([request, answer.status, answer.body]).toMatchObject([
        request,
        403,
        { code: 'ERR_CONFIRM', confirmUrl: `${host.origin}/prove?for=api` },
      ])
      expect(answer.body.detail).toContain(`(${permission})`)
      expect(asked).toEqual([{ permission, returnTo: undefined }])
    }
    expect(await everything()).toEqual(before)
    for (const [person, request, body, permission] of requests) {
      confirmed.clear()
      confirmed.add(permission)
      const { status } = await host.api(person).call(request, body)
      expect([request, status < 300]).toEqual([request, true])
    }
    confirmed.clear()
  })

  it('an Idempotency-Key is not used by a request that needs a fresh sign-in', async () => {
    const clientId = await keyOf('carol')
    const rotate = () =>
      host.api('carol').call(`POST /api-keys/${clientId}/secrets`, {}, { 'idempotency-key': 'one' })
    confirmed.clear()
    expect((await rotate()).body).toMatchObject({ code: 'ERR_CONFIRM' })
    confirmed.add('keys:rotate')
    const first = await rotate()
    expect(first.status).toBe(201)
    expect((await rotate()).body).toEqual(first.body)
    confirmed.clear()
  })

  it('a session gets the same answer, and other requests do not ask the host', async () => {
    const clientId = await keyOf('bob')
    const browser = browserOf(host, 'bob')
    const open = async (path: string, init?: RequestInit) =>
      browser.request(new URL(`${host.origin}/account/api${path}`), init)
    const { csrfToken } = JSON.parse((await open('/session')).body) as { csrfToken: string }
    const headers = {
      'content-type': 'application/json',
      'x-csrf-token': csrfToken,
      'sec-fetch-site': 'same-origin',
    }
    const rotate = await open(`/api-keys/${clientId}/secrets`, { method: 'POST', headers, body: '{}' })
    expect([rotate.status, JSON.parse(rotate.body)]).toMatchObject([403, { code: 'ERR_CONFIRM' }])
    asked.length = 0
    const body = JSON.stringify({ name: 'Other' })
    expect((await open(`/api-keys/${clientId}`, { method: 'PATCH', headers, body })).status).toBe(200)
    const { call } = host.api('bob')
    expect((await call(`POST /api-keys/${clientId}/disable`)).status).toBe(200)
    // A request with a mistake is rejected before the host is asked.
    expect((await call('POST /api-keys', { name: '' })).status).toBe(422)
    expect((await call('DELETE /api-keys/key_unknown')).status).toBe(404)
    expect(asked).toEqual([])
  })
})

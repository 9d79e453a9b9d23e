import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Browser } from '../../support/browser.ts'
import { authorizationUrl, connect, type Tokens } from '../../support/host.ts'
import { until } from '../../support/until.ts'
import { startUsersHost, type UsersHost } from '../../support/users-host.ts'

const MAX_GRANTS = 100
const parameters = { scope: 'openid invoices:read' }
const CALL = 'GET /invoices/list'

describe('grants of one user for one application', () => {
  let host: UsersHost
  beforeAll(async () => {
    // A person may start 60 grants an hour. This store admits all, because the test has no time.
    const count: Store['count'] = async (_key, _amount, { claim }) => ({
      time: Date.now(),
      counts: [],
      claimed: claim,
    })
    host = await startUsersHost({ store: { ...memoryStore(), count } })
  })
  afterAll(async () => {
    expect(host.errors).toEqual([])
    await host.close()
  })

  it('if a user has more than 100 grants for an application, the oldest of these grants is revoked, and no other grant is revoked', async () => {
    const application = await host.createApplication()
    const other = await host.createApplication()
    const revoked: object[] = []
    host.gatehouse.on('grant.revoked', (event) => revoked.push(event))
    const browser = host.browser()
    const connectAs = (user: string, client = application, from?: Browser) =>
      connect(host, client, { user, parameters, ...(from && { browser: from }) })
    const others: [Tokens, typeof application][] = [
      [await connectAs('firm/owner'), application],
      [await connectAs('firm/intern', other), other],
      [await connectAs('alice'), application],
    ]
    const tokens: Tokens[] = []
    for (let count = 0; count < MAX_GRANTS; count += 1) {
      tokens.push(await connectAs('firm/intern', application, browser))
    }
    const isValid = async ({ access_token, refresh_token }: Tokens, client = application) => {
      const answers = [
        (await host.call(CALL, access_token)).status,
        (await host.refresh(client, refresh_token)).status,
      ]
      expect([200, 400]).toContain(answers[1])
      expect(answers[0]).toBe(answers[1] === 200 ? 200 : 401)
      return answers[1] === 200
    }
    expect(revoked).toEqual([])

    const idsOf = async () => {
      const { items } = await host.gatehouse.grants.list({ accountId: 'firm', limit: 500 })
      const ofPair = items.filter((it) => it.userId === 'intern' && it.clientId === application.client_id)
      return ofPair.map(({ grantId }) => grantId)
    }
    const isOneOf = (ids: string[], { access_token }: Tokens) =>
      ids.includes(String(decodeJwt(access_token)['grant_id']))
    const before = await idsOf()
    expect(before).toHaveLength(MAX_GRANTS)
    // Each of these three grants exceeds the limit.
    const more = await Promise.all([1, 2, 3].map(() => connectAs('firm/intern', application)))
    await until(() => expect(revoked).toHaveLength(3))
    expect(revoked).toMatchObject(
      before.slice(0, 3).map((grantId) => ({
        grantId,
        accountId: 'firm',
        userId: 'intern',
        clientId: application.client_id,
      })),
    )
    const after = await idsOf()
    expect(after).toHaveLength(MAX_GRANTS)
    // The order of grants within one second is undefined.
    expect(after).toEqual(expect.arrayContaining(before.slice(3)))

    const checked = [...tokens.filter((each) => isOneOf(before.slice(0, 5), each)), ...more]
    expect(checked).toHaveLength(8)
    for (const each of checked) expect(await isValid(each)).toBe(!isOneOf(before.slice(0, 3), each))
    for (const [each, client] of others) expect(await isValid(each, client)).toBe(true)

    // The consent stays, so a silent authorization succeeds.
    const url = authorizationUrl(host, application.client_id, { ...parameters, prompt: 'none' })
    expect((await browser.open(url)).url.searchParams.has('code')).toBe(true)
  })
})

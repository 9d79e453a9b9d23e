import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import type { Client } from '../../support/host-requests.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const OLD = 'the secret of last year, which is long enough'
const NEW = 'the secret of this year, which is long enough'

describeEachStore('replacing `secret`', (makeStore) => {
  let store: Store
  let host: Host
  let client: Client

  beforeEach(async () => {
    store = makeStore()
    host = await startHost({ store, gatehouse: { secret: [OLD] } })
    client = await host.createApplication()
  })
  afterEach(() => host.close())

  /** Restarts the host at the same address with other secrets. */
  async function restartWith(...secret: string[]): Promise<void> {
    await host.close()
    host = await startHost({ store, port: host.port, gatehouse: { secret } })
    await host.gatehouse.ready()
  }

  const refresh = (token: unknown) => host.refresh(client, token)

  async function publishedKids(): Promise<unknown> {
    const response = await fetch(`${host.issuer}/oauth2/jwks`)
    const { keys } = (await response.json()) as { keys: { kid: string }[] }
    return keys.map(({ kid }) => kid)
  }

  it('keys and tokens stay valid when `secret` changes from [old] to [new, old] to [new] (fixed bug: the old secret could never be removed), and the reuse of a refresh token is detected while its secret is set', async () => {
    const key = await host.createApiKey()
    const direct = String((await host.requestDirectToken(key)).body['access_token'])
    const delegated = await connect(host, client, { parameters: { scope: 'openid invoices:read' } })
    const [one, other] = [await connect(host, client), await connect(host, client)]
    const afterOne = String((await refresh(one.refresh_token)).body['refresh_token'])
    const afterOther = String((await refresh(other.refresh_token)).body['refresh_token'])
    const kids = await publishedKids()
    expect(kids).toContain(decodeProtectedHeader(direct).kid)
    let { refresh_token: current } = delegated

    for (const secret of [[NEW, OLD], [NEW]]) {
      await restartWith(...secret)
      expect(await publishedKids()).toEqual(kids)
      expect((await host.call('GET /invoices/list', direct)).status).toBe(200)
      expect((await host.call('GET /invoices/list', delegated.access_token)).status).toBe(200)
      expect((await host.userInfo(delegated.access_token)).status).toBe(200)
      const { status, body } = await refresh(current)
      expect(status).toBe(200)
      current = String(body['refresh_token'])
      expect((await host.requestDirectToken(key)).status).toBe(200)

      // With the old secret, a reuse revokes the family. Without it, the token only looks forged.
      const [used, next] = secret.includes(OLD) ? [one, afterOne] : [other, afterOther]
      expect((await refresh(used.refresh_token)).body['error']).toBe('invalid_grant')
      expect((await refresh(next)).body['error']).toBe(secret.includes(OLD) ? 'invalid_grant' : undefined)
    }
  })

  it('without an earlier start with both secrets, a start with only the new secret fails, and the signing keys are not lost', async () => {
    const kids = await publishedKids()
    await host.close()
    host = await startHost({ store, port: host.port, gatehouse: { secret: [NEW] } })
    await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    await restartWith(NEW, OLD)
    expect(await publishedKids()).toEqual(kids)
  })

  it('a user who opens a page while both secrets are set stays signed in, and forms that were shown before are accepted (fixed bug: the forms were rejected); a user who opens none must sign in again', async () => {
    const { browser: active } = await authorize(host, client.client_id)
    const { browser: idle } = await authorize(host, client.client_id)
    const another = authorizationUrl(host, (await host.createApplication()).client_id)
    const pending = await idle.open(another)
    expect(asksFor(pending)).toBe('consent')
    const visitor = host.browser()
    const url = authorizationUrl(host, client.client_id)
    const signIn = await visitor.open(url)
    expect(asksFor(signIn)).toBe('sign-in')

    await restartWith(NEW, OLD)
    expect((await active.open(url)).url.searchParams.get('code')).toMatch(/./)
    const change = { identifier: 'bob', password: 'correct' }
    const consent = await visitor.submit(signIn, { action: /sign-in/, change })
    expect(asksFor(consent)).toBe('consent')

    await restartWith(NEW)
    expect((await active.open(url)).url.searchParams.get('code')).toMatch(/./)
    const approved = await visitor.submit(consent, { action: /consent/, button: ['action', 'approve'] })
    expect(approved.url.searchParams.get('code')).toMatch(/./)
    // The idle user must also start the pending authorization again.
    expect((await idle.open(pending.url)).status).toBe(404)
    expect(asksFor(await idle.open(another))).toBe('sign-in')
  })
})

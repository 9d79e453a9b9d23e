import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const OLD = 'the secret of last year, which is long enough'
const NEW = 'the secret of this year, which is long enough'

describeEachStore('replacing `secret`', (makeStore) => {
  let store: Store
  let host: Host
  let client: { client_id: string; client_secret: string }

  beforeEach(async () => {
    store = makeStore()
    host = await startHost({ store, gatehouse: { secret: [OLD] } })
    client = await host.createApplication()
  })
  afterEach(() => host.close())

  /** Restarts the host at the same address with other secrets. */
  async function restartWith(secret: readonly string[]): Promise<void> {
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

  it('keys and tokens stay valid when `secret` changes from [old] to [new, old] to [new] (fixed bug: the old secret could never be removed)', async () => {
    const key = await host.createApiKey()
    const direct = String((await host.requestDirectToken(key)).body['access_token'])
    const delegated = await connect(host, client, { parameters: { scope: 'openid invoices:read' } })
    const kids = await publishedKids()
    expect(kids).toContain(decodeProtectedHeader(direct).kid)
    let { refresh_token: current } = delegated

    for (const secret of [[NEW, OLD], [NEW]]) {
      await restartWith(secret)
      expect(await publishedKids()).toEqual(kids)
      expect((await host.call('GET /invoices/list', direct)).status).toBe(200)
      expect((await host.call('GET /invoices/list', delegated.access_token)).status).toBe(200)
      expect((await host.userInfo(delegated.access_token)).status).toBe(200)
      const { status, body } = await refresh(current)
      expect(status).toBe(200)
      current = String(body['refresh_token'])
      expect((await host.requestDirectToken(key)).status).toBe(200)
    }
  })

  it('without an earlier start with both secrets, a start with only the new secret fails, and the signing keys are not lost', async () => {
    const kids = await publishedKids()
    await host.close()
    host = await startHost({ store, port: host.port, gatehouse: { secret: [NEW] } })
    await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    await restartWith([NEW, OLD])
    expect(await publishedKids()).toEqual(kids)
  })

  it('reusing a refresh token after a secret rotation still revokes its family', async () => {
    const { refresh_token: used } = await connect(host, client)
    const { body } = await refresh(used)
    await restartWith([NEW, OLD])
    expect((await refresh(used)).body['error']).toBe('invalid_grant')
    expect((await refresh(body['refresh_token'])).body['error']).toBe('invalid_grant')
  })

  it('after a secret was removed, reusing a refresh token that was issued with this secret is rejected, and the family of the token stays valid', async () => {
    const { refresh_token: used } = await connect(host, client)
    const { body } = await refresh(used)
    await restartWith([NEW, OLD])
    await restartWith([NEW])
    expect((await refresh(used)).body['error']).toBe('invalid_grant')
    expect((await refresh(body['refresh_token'])).status).toBe(200)
  })

  it('a user who opens a page while both secrets are set stays signed in after the secret rotation', async () => {
    const { browser } = await authorize(host, client.client_id)
    for (const secret of [[NEW, OLD], [NEW]]) {
      await restartWith(secret)
      const page = await browser.open(authorizationUrl(host, client.client_id))
      expect(page.url.searchParams.get('code')).toMatch(/./)
    }
  })

  it('a user who opens no page while both secrets are set must sign in again, and must start a pending authorization again', async () => {
    const { browser } = await authorize(host, client.client_id)
    const another = await host.createApplication()
    const pending = await browser.open(authorizationUrl(host, another.client_id))
    expect(asksFor(pending)).toBe('consent')
    await restartWith([NEW, OLD])
    await restartWith([NEW])
    expect((await browser.open(pending.url)).status).toBe(404)
    expect(asksFor(await browser.open(authorizationUrl(host, another.client_id)))).toBe('sign-in')
  })

  it('forms that were shown before a secret rotation are accepted (fixed bug: the forms were rejected)', async () => {
    const browser = host.browser()
    const signIn = await browser.open(authorizationUrl(host, client.client_id))
    expect(asksFor(signIn)).toBe('sign-in')
    await restartWith([NEW, OLD])
    const consent = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    expect(asksFor(consent)).toBe('consent')
    await restartWith([NEW])
    const approved = await browser.submit(consent, { action: /consent/, button: ['action', 'approve'] })
    expect(approved.url.searchParams.get('code')).toMatch(/./)
  })
})

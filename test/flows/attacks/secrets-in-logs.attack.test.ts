import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { basic } from '../../support/host-requests.ts'
import { authorizationUrl, authorize, connect, SECRET, startHost, type Host } from '../../support/host.ts'
import { prepareEndpoints } from '../bad-input/endpoints.ts'
import { describeEachStore } from '../../support/stores.ts'

const EVENTS = [
  'token.issued',
  'token.rejected',
  'refresh_token.reused',
  'code.reused',
  'consent.approved',
  'consent.denied',
  'client.created',
  'client.changed',
  'client.deleted',
  'catalog.reloaded',
  'catalog.rejected',
  'error',
] as const

/** Parameters that are sent back to the browser or the application that chose them. */
const RETURNED_TO_THE_SENDER = ['state', 'login_hint', 'identifier']

describeEachStore('logs, events and errors', (makeStore) => {
  let host: Host
  const reported: string[] = []
  let isBroken = false
  const report = (...what: unknown[]) => {
    // The reported text includes causes, stacks, symbols and properties that are not enumerable.
    reported.push(
      what
        .map((value) =>
          inspect(value, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null }),
        )
        .join(' '),
    )
  }
  beforeAll(async () => {
    const store = makeStore()
    const breakable = new Proxy(store, {
      get(target, name: keyof Store) {
        const member = target[name]
        if (typeof member !== 'function') return member
        return (...args: unknown[]) =>
          isBroken ? Promise.reject(new Error('connection lost')) : Reflect.apply(member, target, args)
      },
    })
    const logger = { debug: report, info: report, warn: report, error: report }
    host = await startHost({ store: breakable, gatehouse: { logger } })
    await host.gatehouse.ready()
    for (const name of EVENTS) host.gatehouse.on(name, (event) => report(name, event))
    host.app.on('error', report)
  })
  afterAll(() => host.close())

  it('a client secret in the wrong parameter of any endpoint is repeated nowhere', async () => {
    const { client_secret: secret } = await host.createApiKey()
    const { endpoints } = await prepareEndpoints(host)
    reported.splice(0)
    const repeated: string[] = []
    for (const { path, methods, parameters, headers = {} } of endpoints) {
      for (const name of Object.keys(parameters).filter((each) => !RETURNED_TO_THE_SENDER.includes(each))) {
        for (const value of [secret, `invoices:read ${secret}`]) {
          const fields = new URLSearchParams({ ...parameters, [name]: value })
          const isPost = methods[0] === 'POST'
          const answer = await fetch(host.issuer + path + (isPost ? '' : `?${fields.toString()}`), {
            method: methods[0] ?? 'GET',
            redirect: 'manual',
            headers: { accept: 'text/html', ...headers },
            ...(isPost && { body: fields }),
          })
          const text = `${JSON.stringify([...answer.headers])}${await answer.text()}`
          if (text.includes(secret)) repeated.push(`${methods[0]} ${path} ${name}`)
        }
      }
    }
    expect(repeated).toEqual([])
    expect(reported.filter((text) => text.includes(secret))).toEqual([])
    const entries = await host.gatehouse.audit.list({ limit: 100 })
    expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('an application that sends a client secret as a scope gets invalid_scope without the secret', async () => {
    const { client_id, client_secret: secret } = await host.createApplication()
    const { callback } = await authorize(host, client_id, {
      parameters: { scope: `invoices:read ${secret}` },
    })
    expect(Object.fromEntries(callback.searchParams)).toEqual({
      error: 'invalid_scope',
      error_description: 'this operation does not exist',
      state: 'xyz',
      iss: host.issuer,
    })
  })

  it('logs, events and errors contain no secret, token, code, cookie or password, even after failures', async () => {
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const other = await host.createApplication()
    const parameters = { scope: 'openid profile invoices:read', prompt: 'login consent' }
    const { code, browser } = await authorize(host, application.client_id, { parameters })
    const exchange = { ...application, grant_type: 'authorization_code', code }
    const direct = await host.requestDirectToken(key)
    const wrongSecret = `${key.client_secret}-wrong`
    const wrong = { ...key, client_secret: wrongSecret }
    await host.requestDirectToken(wrong)
    await host.token({ grant_type: 'client_credentials' }, basic(wrong))
    await host.token({ ...exchange, ...other })
    isBroken = true
    expect((await host.token(exchange)).status).toBe(503)
    isBroken = false
    const first = await host.token(exchange)
    expect(first.status).toBe(200)
    await host.token(exchange)
    const tokens = await connect(host, application, { parameters })
    const refresh = { ...application, grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    isBroken = true
    await host.token(refresh)
    isBroken = false
    const second = await host.token(refresh)
    await host.token({ ...refresh, scope: 'unknown' })
    await host.token(refresh)
    await host.refresh(application, `${tokens.refresh_token}x`)
    const start = await host.browser().open(authorizationUrl(host, application.client_id))
    const failed = host.browser()
    const page = await failed.open(authorizationUrl(host, application.client_id))
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)![1]!
    await failed.submit(page, { change: { identifier: 'alice', password: 'hunter-2-is-wrong' } })
    isBroken = true
    await failed.open(page.url)
    await failed.submit(page, { change: { identifier: 'alice', password: 'correct-but-broken' } })
    await browser.open(authorizationUrl(host, application.client_id))
    await host.call('GET /invoices/list', `${tokens.access_token}x`)
    await host.userInfo(tokens.access_token)
    isBroken = false
    await host.userInfo(`${tokens.access_token}x`)
    await host.gatehouse.apiKeys.find(key.client_secret)
    await host.gatehouse.apiKeys.disable(key.client_secret).catch(report)
    const rotated = await host.gatehouse.apiKeys.rotateSecret(key.client_id)
    await host.gatehouse.apiKeys.rotateSecret(key.client_id).catch(report)
    const signOut = await browser.open(`${host.issuer}/oauth2/logout`)
    await browser.submit(signOut, { button: ['logout', 'yes'] }).catch(() => {})

    const cookies = [browser, failed].flatMap((one) => [...one.cookies.values()].map(({ value }) => value))
    const secrets: Record<string, string> = {
      'the secret of the options': SECRET,
      'client secret': key.client_secret,
      'client secret of an application': application.client_secret,
      'client secret of another application': other.client_secret,
      'new client secret': rotated.clientSecret,
      'wrong client secret': wrongSecret,
      code,
      'access token': tokens.access_token,
      'signature of an access token': tokens.access_token.split('.')[2]!,
      'access token of an API key': String(direct.body['access_token']),
      'ID token': tokens.id_token!,
      'refresh token': tokens.refresh_token,
      'random part of a refresh token': tokens.refresh_token.split('.')[2]!,
      'next refresh token': String(second.body['refresh_token']),
      'first refresh token': String(first.body['refresh_token']),
      'password that was wrong': 'hunter-2-is-wrong',
      'password at a failure': 'correct-but-broken',
      'CSRF token': csrf,
      'interaction id': start.url.pathname.split('/').at(-1)!,
      'interaction id at a failure': page.url.pathname.split('/').at(-1)!,
      ...Object.fromEntries(cookies.map((value, i) => [`cookie ${i}`, value])),
    }
    expect(reported.length).toBeGreaterThan(20)
    const all = reported.join('\n')
    expect(all).toContain('token.issued')
    expect(all).toContain('connection lost')
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length, name).toBeGreaterThan(15)
      const at = all.indexOf(secret)
      expect(at < 0 ? undefined : all.slice(Math.max(0, at - 300), at), name).toBeUndefined()
    }
    expect(all).not.toMatch(/-----BEGIN|"d":\s*"/)
  })
})

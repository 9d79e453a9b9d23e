// Also runs on: Redis
import type { Context, Next } from 'koa'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import {
  asksFor,
  authorizationUrl,
  authorize,
  CALLBACK,
  connect,
  signInAs,
  startHost,
  type Host,
  type HostOptions,
} from '../../support/host.ts'
import { startRedis } from '../../support/redis-server.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

async function hostWith(options: HostOptions = {}) {
  const host = await startHost(options)
  onTestFinished(host.close)
  return { host, application: await host.createApplication() }
}

/** Sends one authorization request as a browser does, and does not follow redirects. */
const request = (host: Host, clientId: string, parameters: Record<string, string> = {}, headers = {}) =>
  fetch(authorizationUrl(host, clientId, parameters), {
    redirect: 'manual',
    headers: { accept: 'text/html', ...headers },
  })

describeEachStore('the size of authorization request parameters', (makeStore) => {
  const start = async () => {
    const { store, writes } = watchWrites(makeStore())
    const { host, application } = await hostWith({ store })
    writes.splice(0)
    return { host, clientId: application.client_id, writes }
  }

  it.each(['nonce', 'login_hint', 'ui_locales', 'display', 'acr_values', 'claims_locales'])(
    'a %s that is too long is answered with invalid_request and state, and nothing is stored',
    async (name) => {
      const { host, clientId, writes } = await start()
      const scope = 'openid invoices:read'
      const answer = await request(host, clientId, { scope, [name]: 'x'.repeat(513) })
      const location = new URL(answer.headers.get('location') ?? '')
      expect(answer.status).toBe(303)
      expect(`${location.origin}${location.pathname}`).toBe(CALLBACK)
      expect(Object.fromEntries(location.searchParams)).toEqual({
        error: 'invalid_request',
        error_description: `${name} is too long; it may have 512 bytes`,
        state: 'xyz',
        iss: host.issuer,
      })
      expect(writes).toEqual([])
      const longest = await request(host, clientId, { scope, [name]: 'x'.repeat(512) })
      expect(longest.headers.get('location')).toContain('/interaction/')
    },
  )

  it('a state that is too long leads to the error page, and the page does not repeat the state', async () => {
    const { host, clientId, writes } = await start()
    const answer = await request(host, clientId, { state: 'x'.repeat(2049) })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    const page = await answer.text()
    expect(page).toContain('state is too long; it may have 2048 bytes')
    expect(page).not.toContain('xxxxxxxx')
    expect(writes).toEqual([])
  })

  it('a resource that is repeated fifty times is rejected as too long', async () => {
    const { host, clientId, writes } = await start()
    const url = authorizationUrl(host, clientId)
    for (let index = 0; index < 50; index += 1) url.searchParams.append('resource', host.audience)
    const answer = await fetch(url, { redirect: 'manual' })
    expect(answer.headers.get('location')).toContain('error=invalid_request')
    expect(writes).toEqual([])
  })

  it('parameters that are too long together are rejected', async () => {
    const { host, clientId, writes } = await start()
    const long = 'x'.repeat(500)
    const all = { scope: 'openid', state: 'x'.repeat(2000), nonce: long, login_hint: long }
    const answer = await request(host, clientId, all)
    expect(answer.headers.get('location')).toContain('they+may+have+3072+bytes+together')
    expect(writes).toEqual([])
  })

  it('a request with a state of 2 kB and all usual parameters gets its code and its state', async () => {
    const { host, clientId } = await start()
    const parameters = {
      state: 'CfDJ8'.padEnd(2048, 'x'),
      nonce: 'n'.repeat(160),
      scope: 'openid profile email invoices:read',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      login_hint: 'alice@example.com',
      ui_locales: 'de-CH de en',
    }
    const { code, callback } = await authorize(host, clientId, { parameters })
    expect(code).not.toBe('')
    expect(callback.searchParams.get('state')).toBe(parameters.state)
  })

  it('id_token_hint accepts the longest ID token at authorization and at sign-out', async () => {
    const { store } = watchWrites(makeStore())
    const user = 'a'.repeat(255)
    const accounts = new Map([
      [user, { id: user }],
      ['acme', { id: 'acme', kycLevel: 'verified' }],
    ])
    const { host, application } = await hostWith({ store, accounts })
    const browser = host.browser()
    const parameters = { scope: 'openid invoices:read', nonce: 'n'.repeat(512) }
    const { id_token: hint = '' } = await connect(host, application, { browser, user, parameters })
    // With a signing key of 4096 bits the ID token would be even longer than with the key of this test.
    expect(hint.length).toBeGreaterThan(1900)
    const more = { ...parameters, id_token_hint: hint, prompt: 'none' }
    const url = authorizationUrl(host, application.client_id, more)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    const signOut = new URL(`${host.issuer}/oauth2/logout?id_token_hint=${hint}`)
    expect((await browser.open(signOut)).status).toBe(200)
  })

  it('a sign-out with a state that is too long leads to the error page, and nothing is stored', async () => {
    const { host, clientId, writes } = await start()
    const browser = host.browser()
    await authorize(host, clientId, { browser })
    writes.splice(0)
    const page = await browser.open(`${host.issuer}/oauth2/logout?state=${'x'.repeat(2049)}`)
    expect(page.status).toBe(400)
    expect(page.body).toContain('state is too long')
    expect(writes).toEqual([])
  })
})

describe('the stored interaction', () => {
  const interactionsOf = (store: Store) => {
    const values: string[] = []
    const watched = new Proxy(store, {
      get(target, name: keyof Store) {
        if (name !== 'set' && name !== 'replace') return target[name]
        return (...args: string[]) => {
          if (args[0]?.startsWith('interaction:')) values.push(args[name === 'set' ? 1 : 2] ?? '')
          return Reflect.apply(target[name], target, args) as unknown
        }
      },
    })
    return { store: watched, values }
  }

  it.each([
    ['letters', 'x'],
    ['quotes', '"'],
    ['control characters', '\u0001'],
    ['Chinese characters', '漢'],
  ])(
    'a stored interaction whose parameters consist of %s has at most 4 kB, not counting its scope',
    async (_, character) => {
      const { store, values } = interactionsOf(memoryStore())
      const long = 'a'.repeat(255)
      const accounts = new Map([
        [long, { id: long }],
        ['acme', { id: 'acme', kycLevel: 'verified' }],
      ])
      const { host, application } = await hostWith({ store, accounts })
      const bytes = Buffer.byteLength(JSON.stringify(character)) - 2
      const state = character.repeat(Math.floor(2048 / bytes))
      const nonce = character.repeat(Math.floor(500 / bytes))
      const parameters = { scope: 'openid invoices:read', state, nonce, prompt: 'consent' }
      const { code } = await authorize(host, application.client_id, { parameters, user: long })
      expect(code).not.toBe('')
      expect(values.length).toBeGreaterThan(2)
      const sizes = values.map((value) => {
        const { params } = JSON.parse(value) as { params: { scope: string } }
        return Buffer.byteLength(value) - params.scope.length
      })
      expect(Math.max(...sizes)).toBeGreaterThan(2500)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(4096)
    },
  )

  it('a stored interaction contains only fields that gatehouse reads later', async () => {
    const { store, values } = interactionsOf(memoryStore())
    const { host, application } = await hostWith({ store })
    const parameters = { scope: 'openid invoices:read', display: 'page', acr_values: '1' }
    expect((await authorize(host, application.client_id, { parameters })).code).not.toBe('')
    expect(values.length).toBeGreaterThan(2)
    const records = values.map((value) => JSON.parse(value) as Record<string, object>)
    const names = ['exp', 'iat', 'kind', 'lastSubmission', 'params', 'prompt', 'result', 'session', 'v']
    for (const record of records) {
      expect(names).toEqual(expect.arrayContaining(Object.keys(record)))
      expect(Object.keys(record['prompt'] ?? {})).toEqual(['name'])
      expect(Object.keys(record['params'] ?? {}).toSorted()).toEqual([
        'client_id',
        'redirect_uri',
        'resource',
        'response_type',
        'scope',
        'state',
      ])
    }
  })
})

describeEachStore('the lifetime of an interaction', (makeStore) => {
  const NOW = Date.now()
  // oidc-provider accepts an interaction up to 15 seconds after its expiry, because clocks may differ.
  const CLOCK_SKEW_SECONDS = 16
  const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
  afterEach(() => void vi.useRealTimers())

  it('an interaction without sign-in expires after 20 minutes, and its pages ask the user to start again at the application', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    const { host, application } = await hostWith({ store: makeStore() })
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, application.client_id))
    pass(1199)
    expect(asksFor(await browser.open(page.url))).toBe('sign-in')
    pass(1 + CLOCK_SKEW_SECONDS)
    const late = await browser.open(page.url)
    const sent = await signInAs(browser, page, 'alice')
    const resumed = await browser.open(String(page.url).replace('/interaction/', '/oauth2/authorize/'))
    for (const { status, body } of [late, sent, resumed]) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body).toContain('Go back to the application that you came from and start again.')
    }
  })

  it('an interaction with sign-in expires after an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    const { host, application } = await hostWith({ store: makeStore() })
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, application.client_id))
    const consent = await signInAs(browser, page, 'alice')
    pass(3599)
    expect(asksFor(await browser.open(consent.url))).toBe('consent')
    pass(1 + CLOCK_SKEW_SECONDS)
    expect((await browser.open(consent.url)).status).toBe(404)
  })
})

describe('the limit of pending interactions per address', () => {
  const limited = async (max: number, above: HostOptions['above'] = []) => {
    const { store, writes } = watchWrites(memoryStore())
    const warn = vi.fn()
    const logger = { debug() {}, info() {}, warn, error() {} }
    const options = { store, above, gatehouse: { maxPendingInteractions: max, logger } }
    const { host, application } = await hostWith(options)
    writes.splice(0)
    return { host, application, clientId: application.client_id, writes, warn }
  }
  const behindProxy = async ({ app }: Context, next: Next) => {
    app.proxy = true
    await next()
  }
  const from = (ip: string) => ({ 'x-forwarded-for': ip })

  it('an authorization request above the limit gets 429 with an explanation and no redirect, and nothing is stored', async () => {
    const { host, clientId, writes, warn } = await limited(2)
    for (let index = 0; index < 2; index += 1) expect((await request(host, clientId)).status).toBe(303)
    writes.splice(0)
    for (const accept of ['text/html', 'application/json']) {
      const answer = await request(host, clientId, {}, { accept })
      expect([answer.status, answer.headers.get('location')]).toEqual([429, null])
      expect(answer.headers.get('retry-after')).toBe('30')
      const text = await answer.text()
      expect(text).toContain('temporarily_unavailable')
      expect(text).toContain('too many unfinished sign-ins were started from this address')
    }
    expect(writes).toEqual([])
    expect(host.errors).toEqual([])
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]?.[1]).toContain('app.proxy')
  })

  it('an interaction that is approved or denied no longer counts towards the limit', async () => {
    const { host, clientId } = await limited(1)
    for (let index = 0; index < 3; index += 1) {
      expect((await authorize(host, clientId)).code).not.toBe('')
    }
    const parameters = { prompt: 'consent' }
    const { callback } = await authorize(host, clientId, { deny: true, parameters })
    expect(callback.searchParams.get('error')).toBe('access_denied')
    expect((await request(host, clientId)).status).toBe(303)
    expect((await request(host, clientId)).status).toBe(429)
  })

  it('the limit counts only requests that need a page, separately for each IPv4 address and each IPv6 /64 network', async () => {
    const { host, application, clientId } = await limited(1, [behindProxy])
    const browser = host.browser()
    await authorize(host, clientId, { browser })
    const status = async (ip: string) => (await request(host, clientId, {}, from(ip))).status
    expect([await status('192.0.2.1'), await status('192.0.2.1')]).toEqual([303, 429])
    expect(await status('192.0.2.2')).toBe(303)
    expect([await status('2001:db8::1'), await status('2001:db8::ffff:1')]).toEqual([303, 429])
    expect(await status('2001:db8:0:1::1')).toBe(303)
    const silent = await request(host, clientId, { prompt: 'none' }, from('192.0.2.1'))
    expect(silent.headers.get('location')).toContain('error=login_required')
    const url = authorizationUrl(host, clientId)
    const signedIn = await browser.request(url, { headers: from('192.0.2.1') })
    const code = new URL(signedIn.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const grant = { ...application, grant_type: 'authorization_code', code }
    expect((await host.token(grant, from('192.0.2.1'))).status).toBe(200)
  })

  it('maxPendingInteractions 0 means no limit', async () => {
    const { host, clientId } = await limited(0)
    for (let index = 0; index < 20; index += 1) expect((await request(host, clientId)).status).toBe(303)
  })
})

describeWithRedis('a Redis with nearly full memory', () => {
  async function nearlyFull({ rights = 'allcommands' } = {}) {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const admin = new Redis(server.url)
    await admin.call('ACL', 'SETUSER', 'us', 'on', '>pass', '~*', '&*', ...rights.split(' '))
    const redis = new Redis(server.url, { username: 'us', password: 'pass' })
    onTestFinished(() => {
      redis.disconnect()
      admin.disconnect()
    })
    const { store, writes } = watchWrites(redisStore(redis))
    const { host, application } = await hostWith({ store, gatehouse: { storeTimeoutMs: 10_000 } })
    const key = await host.createApiKey()
    const tokens = await connect(host, application)
    const direct = String((await host.requestDirectToken(key)).body['access_token'])
    const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1])
    await admin.config('SET', 'maxmemory', Math.round(used / 0.93))
    return { host, application, key, tokens, direct, admin, writes, clientId: application.client_id }
  }
  /**
   * Repeats an authorization request until the response has the status. The first request is still accepted,
   * because it only starts the memory check in the background.
   */
  const untilStatus = (host: Host, clientId: string, status: number) =>
    vi.waitFor(async () => expect((await request(host, clientId)).status).toBe(status), {
      timeout: 10_000,
      interval: 200,
    })

  it('with nearly full memory, only authorization requests that need a page are rejected with 503, until memory is free', async () => {
    const { host, application, key, tokens, direct, admin, writes, clientId } = await nearlyFull()
    await untilStatus(host, clientId, 503)
    writes.splice(0)
    const answer = await request(host, clientId)
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('location')]).toEqual([
      503,
      '30',
      null,
    ])
    expect(await answer.text()).toContain('temporarily_unavailable')
    expect(writes).toEqual([])
    expect(host.errors).toEqual([])

    expect((await host.refresh(application, tokens.refresh_token)).status).toBe(200)
    expect((await host.requestDirectToken(key)).status).toBe(200)
    await host.gatehouse.tokens.revoke(direct)
    expect((await host.call('GET /invoices/list', direct)).status).toBe(401)
    await host.gatehouse.apiKeys.disable(key.client_id)

    await admin.config('SET', 'maxmemory', 0)
    await untilStatus(host, clientId, 303)
  })

  it('if Redis does not permit the command INFO, authorization requests are accepted despite nearly full memory', async () => {
    const { host, clientId } = await nearlyFull({ rights: '+@all -info' })
    for (let index = 0; index < 3; index += 1) {
      expect((await request(host, clientId)).status).toBe(303)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
})

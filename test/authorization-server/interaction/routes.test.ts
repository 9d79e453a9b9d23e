import { bodyParser } from '@koa/bodyparser'
import type { Context } from 'koa'
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import type { Accounts } from '../../../src/host/accounts.ts'
import { pendingConsent, pendingLogin } from './fake-port.ts'
import { csrfIn, hostApp, nextIn } from './host-app.ts'

const page = '/auth/interaction/uid-1'
const actions = ['sign-in', 'consent', 'switch'] as const

/**
 * A host whose interaction waits for `action`. `expectUntouched()` asserts that no form has reached the
 * callbacks of the host.
 */
function hostFor(action: (typeof actions)[number], above: Parameters<typeof hostApp>[0]['above'] = []) {
  const authenticate = vi.fn<NonNullable<Accounts['authenticate']>>(() => ({ accountId: 'alice' }))
  const signOut = vi.fn<NonNullable<Accounts['signOut']>>()
  const pending = action === 'sign-in' ? pendingLogin : pendingConsent
  const app = hostApp({ pending, accounts: { authenticate, signOut }, above })
  return {
    ...app,
    expectUntouched() {
      expect(app.fake.calls).toEqual([])
      expect(authenticate).not.toHaveBeenCalled()
      expect(signOut).not.toHaveBeenCalled()
    },
    token: async () => csrfIn((await request(app.callback).get(page)).text),
  }
}

const goodFields = { identifier: 'alice', password: 'right', action: 'approve', scope: 'email' }

describe.each(actions)('the form %s', (action) => {
  const address = `${page}/${action}`

  it('the form is accepted with its CSRF token, even without the headers of a browser', async () => {
    const host = hostFor(action)
    const answer = await request(host.callback)
      .post(address)
      .type('form')
      .send({ ...goodFields, csrf: await host.token() })
    expect(answer.status).toBe(200)
    expect(nextIn(answer.text)).toBeDefined()
    expect(host.fake.calls).toHaveLength(1)
  })

  it('the form is accepted if a body parser above the gatehouse has already read it', async () => {
    const host = hostFor(action, [bodyParser()])
    const fields = { ...goodFields, csrf: await host.token() }
    await request(host.callback).post(address).type('form').send(fields)
    expect(host.fake.calls).toHaveLength(1)
  })

  it('the form is rejected without its token, with the token of another interaction or account, and from elsewhere', async () => {
    const host = hostFor(action)
    const other = hostApp({ pending: { ...pendingConsent, uid: 'uid-2' }, accounts: {} })
    const foreign = csrfIn((await request(other.callback).get('/auth/interaction/uid-2')).text)
    const own = await host.token()
    const send = (csrf: string | undefined, headers: Record<string, string> = {}) =>
      request(host.callback)
        .post(address)
        .type('form')
        .set(headers)
        .send({ ...goodFields, ...(csrf !== undefined && { csrf }) })
    const answers = [
      await send(undefined),
      await send('x'),
      await send(foreign),
      await send(own, { 'Sec-Fetch-Site': 'cross-site' }),
      await send(own, { 'Sec-Fetch-Site': 'same-site' }),
      await send(own, { Origin: 'https://evil.example' }),
      await send(own, { Origin: 'null' }),
    ]
    host.fake.pending = { ...host.fake.pending!, account: { accountId: 'bob', name: 'Bob' } }
    answers.push(await send(own))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    for (const { text } of answers) expect(text).toContain('access_denied')
    host.expectUntouched()
  })

  it('a request that is no such form is rejected', async () => {
    const host = hostFor(action)
    const form = 'application/x-www-form-urlencoded'
    for (const [type, body, status] of [
      ['application/json', JSON.stringify(goodFields), 415],
      [form, '', 403],
      [form, `csrf=${'x'.repeat(1_000_000)}`, 413],
      [form, 'csrf=%00%1b&scope=%0d%0a', 403],
      [form, `csrf=${'x'.repeat(10_000)}`, 403],
      [form, 'csrf=a&csrf=b', 403],
    ] as const) {
      const answer = await request(host.callback).post(address).set('Content-Type', type).send(body)
      expect([body.slice(0, 30), answer.status]).toEqual([body.slice(0, 30), status])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-store')
    }
    for (const method of ['get', 'head', 'put', 'delete'] as const) {
      const answer = await request(host.callback)[method](address)
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'POST'])
    }
    host.expectUntouched()
  })

  it('the form of an expired interaction leads to an error page', async () => {
    const host = hostFor(action)
    const csrf = await host.token()
    host.fake.pending = undefined
    const answer = await request(host.callback)
      .post(address)
      .type('form')
      .send({ ...goodFields, csrf })
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('This page has expired')
    host.expectUntouched()
  })
})

describe('addresses', () => {
  it('an unknown address below /interaction gets an error page, and others are passed on to the host', async () => {
    const app = hostApp({ pending: pendingConsent })
    for (const address of [
      '/auth/interaction',
      '/auth/interaction/',
      '/auth/interaction/uid-1/',
      '/auth/interaction/uid-1/other',
      '/auth/interaction/uid-1/consent/more',
      '/auth/interaction/%2e%2e',
      '/auth/interaction/uid-1%2fconsent',
      `/auth/interaction/${'x'.repeat(10_000)}`,
      '/auth/interaction/unknown',
    ]) {
      const answer = await request(app.callback).get(address)
      expect([address, answer.status]).toEqual([address, 404])
      expect(answer.text).toContain('<h1>This did not work</h1>')
    }
    app.app.use((ctx: Context) => void (ctx.body = 'the host'))
    for (const address of ['/auth/token', '/auth/interactions', '/auth/']) {
      expect((await request(app.app.callback()).get(address)).text).toBe('the host')
    }
    expect(app.fake.calls).toEqual([])
  })

  it('a page answers HEAD like GET, and answers 405 to other methods', async () => {
    const app = hostApp({ pending: pendingConsent })
    const head = await request(app.callback).head(page)
    const get = await request(app.callback).get(page)
    expect(head.status).toBe(200)
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    const post = await request(app.callback).post(page).type('form').send({ action: 'approve' })
    expect(post.status).toBe(405)
    expect(post.headers['allow']).toBe('GET, HEAD')
    expect(app.fake.calls).toEqual([])
  })
})

describe('every page', () => {
  const host = hostApp({ pending: pendingConsent, accounts: { authenticate: () => null } })
  host.app.use((ctx: Context) => {
    const { pages } = host
    if (ctx.path === '/error') pages.renderError(ctx, { status: 400, error: 'invalid_request' })
    if (ctx.path === '/sign-out') {
      pages.renderSignOut(ctx, { action: '/out', xsrf: 'x"y', redirectOrigin: 'https://app.example' })
    }
    if (ctx.path === '/signed-out') pages.renderEnd(ctx, 'signedOut')
    if (ctx.path === '/continue') pages.renderContinue(ctx, new URL('https://app.example/?a=1&b="<'))
  })
  const callback = host.app.callback()

  it('the pages forbid framing, caching and scripts', async () => {
    for (const [address, expected, words] of [
      [page, 200, 'Ledgerly</bdi> wants access'],
      ['/auth/interaction/unknown', 404, 'This page has expired'],
      ['/error', 400, 'invalid_request'],
      ['/sign-out', 200, 'Sign out of'],
      ['/signed-out', 200, 'You are signed out'],
      ['/continue', 200, 'One moment'],
    ] as const) {
      const { headers, text, status } = await request(callback).get(address)
      expect([address, status]).toEqual([address, expected])
      expect(text).toContain(words)
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
        'content-language': 'en',
      })
      const policy = headers['content-security-policy'] ?? ''
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src 'self'/)
      expect(policy).not.toMatch(/script|unsafe|\*/)
      expect(policy).toContain("frame-ancestors 'none'; base-uri 'none'")
      expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/)
    }
  })

  it('the sign-out page posts to the given address with its token', async () => {
    const { text, headers } = await request(callback).get('/sign-out')
    expect(text).toContain('<form method="post" action="/out">')
    expect(text).toContain('name="xsrf" value="x&quot;y"')
    expect(text).toContain('name="logout" value="yes"')
    expect(headers['content-security-policy']).toContain("form-action 'self' https://app.example;")
  })

  it('the redirect page escapes the target address in its HTML', async () => {
    const { text } = await request(callback).get('/continue')
    expect(nextIn(text)).toBe('https://app.example/?a=1&amp;b=%22%3C')
  })
})

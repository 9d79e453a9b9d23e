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

  it.each([
    ['without a token', {}, undefined],
    ['with an invalid token', {}, 'x'],
    ['with a token from another interaction', {}, 'other'],
    ['from another site', { 'Sec-Fetch-Site': 'cross-site' }, 'own'],
    ['from another host of the site', { 'Sec-Fetch-Site': 'same-site' }, 'own'],
    ['of another origin', { Origin: 'https://evil.example' }, 'own'],
    ['of the origin null', { Origin: 'null' }, 'own'],
  ])('a form %s is rejected', async (_name, headers, token) => {
    const host = hostFor(action)
    const other = hostApp({ pending: { ...pendingConsent, uid: 'uid-2' }, accounts: {} })
    const foreign = csrfIn((await request(other.callback).get('/auth/interaction/uid-2')).text)
    const csrf = token === 'own' ? await host.token() : token === 'other' ? foreign : token
    const answer = await request(host.callback)
      .post(address)
      .type('form')
      .set(headers)
      .send({ ...goodFields, ...(csrf === undefined ? {} : { csrf }) })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('access_denied')
    host.expectUntouched()
  })

  it('the form is rejected with the CSRF token of another account', async () => {
    const host = hostFor(action)
    const csrf = await host.token()
    host.fake.pending = { ...host.fake.pending!, account: { accountId: 'bob', name: 'Bob' } }
    const answer = await request(host.callback)
      .post(address)
      .type('form')
      .send({ ...goodFields, csrf })
    expect(answer.status).toBe(403)
    host.expectUntouched()
  })

  it.each([
    ['JSON', 'application/json', JSON.stringify(goodFields), 415],
    ['an empty form', 'application/x-www-form-urlencoded', '', 403],
    ['a token of 1 MB', 'application/x-www-form-urlencoded', `csrf=${'x'.repeat(1_000_000)}`, 413],
    ['a token of control characters', 'application/x-www-form-urlencoded', 'csrf=%00%1b&scope=%0d%0a', 403],
    ['a token of 10,000 characters', 'application/x-www-form-urlencoded', `csrf=${'x'.repeat(10_000)}`, 403],
    ['two tokens', 'application/x-www-form-urlencoded', 'csrf=a&csrf=b', 403],
  ])('the form is rejected with %s as its body', async (_name, type, body, status) => {
    const host = hostFor(action)
    const answer = await request(host.callback).post(address).set('Content-Type', type).send(body)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    host.expectUntouched()
  })

  it.each(['get', 'head', 'put', 'delete'] as const)(
    'a %s request to the address of the form is answered with 405',
    async (method) => {
      const host = hostFor(action)
      const answer = await request(host.callback)[method](address)
      expect(answer.status).toBe(405)
      expect(answer.headers['allow']).toBe('POST')
      host.expectUntouched()
    },
  )

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
  it.each([
    '/auth/interaction',
    '/auth/interaction/',
    '/auth/interaction/uid-1/',
    '/auth/interaction/uid-1/other',
    '/auth/interaction/uid-1/consent/more',
    '/auth/interaction/%2e%2e',
    '/auth/interaction/uid-1%2fconsent',
    `/auth/interaction/${'x'.repeat(10_000)}`,
    '/auth/interaction/unknown',
  ])('an unknown address below /interaction gets an error page: %s', async (address) => {
    const app = hostApp({ pending: pendingConsent })
    const answer = await request(app.callback).get(address)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('<h1>This did not work</h1>')
    expect(app.fake.calls).toEqual([])
  })

  it.each(['/auth/token', '/auth/interactions', '/auth/'])(
    'a request outside of /interaction is passed on to the host: %s',
    async (address) => {
      const next = vi.fn<() => void>()
      const app = hostApp({ pending: pendingConsent })
      app.app.use((ctx: Context) => (next(), (ctx.body = 'the host')))
      expect((await request(app.callback).get(address)).status).toBe(404)
      expect((await request(app.app.callback()).get(address)).text).toBe('the host')
      expect(next).toHaveBeenCalledTimes(1)
    },
  )

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
    if (ctx.path === '/signed-out') pages.renderSignedOut(ctx)
    if (ctx.path === '/continue') pages.renderContinue(ctx, new URL('https://app.example/?a=1&b="<'))
  })
  const callback = host.app.callback()

  it.each([
    [page, 200, 'Ledgerly</bdi> wants access'],
    ['/auth/interaction/unknown', 404, 'This page has expired'],
    ['/error', 400, 'invalid_request'],
    ['/sign-out', 200, 'Sign out of'],
    ['/signed-out', 200, 'You are signed out'],
    ['/continue', 200, 'One moment'],
  ])('the page %s forbids framing, caching and scripts', async (address, status, words) => {
    const { headers, text, ...answer } = await request(callback).get(address)
    expect(answer.status).toBe(status)
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

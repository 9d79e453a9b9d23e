import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Accounts, SignedIn } from '../../../src/host/accounts.ts'
import { pendingConsent, pendingLogin, startedAt } from './fake-port.ts'
import { csrfIn, hostApp, issuer, nextIn } from './host-app.ts'

const page = '/auth/interaction/uid-1'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: (startedAt + 5) * 1000 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('sign-in with the session of the host', () => {
  function host(who: SignedIn | null | '', pending = pendingLogin, more: Partial<Accounts> = {}) {
    const signInUrl = vi.fn<NonNullable<Accounts['signInUrl']>>(
      (returnTo) => `/login?next=${encodeURIComponent(returnTo.href)}`,
    )
    return { ...hostApp({ pending, accounts: { current: () => who, signInUrl, ...more } }), signInUrl }
  }

  it.each([null, ''] as const)(
    'while no user is signed in at the host (%j), the browser goes to the sign-in page of the host, with an address to return to',
    async (person) => {
      const { callback, fake, signInUrl } = host(person)
      const answer = await request(callback)
        .get(page)
        .set('Host', 'evil.example')
        .set('X-Forwarded-Host', 'evil.example')
      expect(answer.status).toBe(303)
      const back = `${issuer}/interaction/uid-1?returned=1`
      expect(answer.headers['location']).toBe(`http://localhost:3000/login?next=${encodeURIComponent(back)}`)
      expect(signInUrl.mock.calls[0]?.[0].href).toBe(back)
      expect(signInUrl.mock.calls[0]?.[2]).toEqual({ reauthenticate: false })
      expect(fake.calls).toEqual([])
    },
  )

  it('the sign-in page of the host may be on another origin', async () => {
    const { callback } = host(null, pendingLogin, { signInUrl: () => new URL('https://login.example/?a=1') })
    expect((await request(callback).get(page)).headers['location']).toBe('https://login.example/?a=1')
  })

  it('a password is never accepted if the host has its own session', async () => {
    const authenticate = vi.fn<NonNullable<Accounts['authenticate']>>(() => ({ accountId: 'alice' }))
    const { callback, fake } = host(null, pendingLogin, { authenticate })
    const answer = await request(callback)
      .post(`${page}/sign-in`)
      .type('form')
      .send({ identifier: 'a', password: 'b' })
    expect(answer.status).toBe(404)
    expect(authenticate).not.toHaveBeenCalled()
    expect(fake.calls).toEqual([])
  })

  it('the callback accounts.current gets the Koa context with the state that middleware above has set', async () => {
    const seen: unknown[] = []
    const { callback } = hostApp({
      pending: pendingLogin,
      above: [(ctx, next) => ((ctx.state['session'] = 'alice'), next())],
      accounts: {
        current: (ctx) => (seen.push(ctx.state['session']), { accountId: 'alice' }),
        signInUrl: () => '/',
      },
    })
    await request(callback).get(page)
    expect(seen).toEqual(['alice'])
  })

  it('an error of a callback of the host is passed on to the Koa app', async () => {
    const broken = new Error('database is away')
    const { callback, errors } = hostApp({
      pending: pendingLogin,
      accounts: { current: () => Promise.reject(broken), signInUrl: () => '/' },
    })
    expect((await request(callback).get(page)).status).toBe(500)
    expect(errors).toEqual([broken])
  })
})

describe('a host without sign-in', () => {
  it.each([{}, { current: () => null }])(
    'if the host offers no sign-in, the interaction shows an error page with status 501',
    async (accounts) => {
      const answer = await request(hostApp({ pending: pendingLogin, accounts }).callback).get(page)
      expect(answer.status).toBe(501)
      expect(answer.text).toContain('Signing in is not set up here.')
    },
  )
})

describe('the built-in sign-in page', () => {
  function host(pending = pendingLogin) {
    const authenticate = vi.fn<NonNullable<Accounts['authenticate']>>(({ identifier, password }) =>
      identifier === 'alice' && password === 'right'
        ? { accountId: 'alice', userId: 'u1', signedInAt: 1 }
        : null,
    )
    const app = hostApp({ pending, accounts: { authenticate } })
    const submit = async (fields: Record<string, string>) => {
      const { text } = await request(app.callback).get(page)
      return request(app.callback)
        .post(`${page}/sign-in`)
        .type('form')
        .send({ csrf: csrfIn(text), ...fields })
    }
    return { ...app, authenticate, submit }
  }

  it('the built-in sign-in page asks for identifier and password', async () => {
    const { text, status, headers } = await request(host().callback).get(page)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('<form method="post" action="/auth/interaction/uid-1/sign-in">')
    expect(text).toMatch(/autocomplete="username"/)
    expect(text).toMatch(/autocomplete="current-password"/)
    expect(text).not.toContain('role="alert"')
  })

  it('the built-in sign-in page is prefilled with login_hint', async () => {
    const { text } = await request(host({ ...pendingLogin, loginHint: 'a"b@example.com' }).callback).get(page)
    expect(text).toContain('value="a&quot;b@example.com"')
  })

  it('correct credentials sign the person in, and the time of the sign-in is the current time', async () => {
    const { submit, fake, authenticate } = host()
    await submit({ identifier: ' alice ', password: 'right' })
    expect(authenticate.mock.calls[0]?.[0]).toEqual({ identifier: 'alice', password: 'right' })
    expect(fake.calls).toEqual([
      ['signedIn', { accountId: 'alice', userId: 'u1', signedInAt: startedAt + 5 }],
    ])
  })

  it('a wrong password and an unknown account get the same page, without the password', async () => {
    const { submit, fake } = host()
    const wrong = await submit({ identifier: 'alice', password: 'wr0ng-pass' })
    const unknown = await submit({ identifier: 'aliec', password: 'wr0ng-pass' })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    const withoutToken = (text: string) => text.replaceAll(/(name="csrf" value=)"[^"]+"/g, '$1')
    expect(withoutToken(wrong.text.replaceAll('alice', 'aliec'))).toBe(withoutToken(unknown.text))
    expect(wrong.text).toContain('role="alert"')
    expect(wrong.text).toMatch(/aria-invalid="true"\s+aria-describedby="problem"/)
    expect(wrong.text).not.toContain('wr0ng-pass')
    expect(fake.calls).toEqual([])
  })

  it('missing or too long credentials are rejected without a call of accounts.authenticate', async () => {
    const { submit, authenticate } = host()
    for (const fields of [
      { identifier: '', password: 'right' },
      { identifier: 'alice', password: '' },
      { identifier: 'x'.repeat(321), password: 'right' },
      { identifier: 'alice', password: 'x'.repeat(1025) },
      {},
    ]) {
      expect((await submit(fields as Record<string, string>)).status).toBe(400)
    }
    expect(authenticate).not.toHaveBeenCalled()
  })

  it('an interaction allows ten sign-in attempts, even if all are simultaneous, and is then blocked for 15 minutes', async () => {
    const { submit, authenticate, fake } = host()
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, n) => submit({ identifier: 'alice', password: `wrong-${n}` })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    expect(authenticate).toHaveBeenCalledTimes(10)
    const right = await submit({ identifier: 'alice', password: 'right' })
    expect(right.status).toBe(429)
    expect(right.headers['retry-after']).toBe('900')
    expect(fake.calls).toEqual([])
    vi.setSystemTime((startedAt + 906) * 1000)
    expect((await submit({ identifier: 'alice', password: 'right' })).status).toBe(200)
  })

  it('guessing the password of one account over many interactions is blocked, even if the letter case of the identifier changes', async () => {
    const { submit, fake, callback } = host()
    for (let n = 0; n < 10; n += 1) {
      fake.pending = { ...pendingLogin, uid: `uid-${n}` }
      const form = await request(callback).get(`/auth/interaction/uid-${n}`)
      await request(callback)
        .post(`/auth/interaction/uid-${n}/sign-in`)
        .type('form')
        .send({ csrf: csrfIn(form.text), identifier: 'ALICE', password: 'wrong' })
    }
    fake.pending = pendingLogin
    expect((await submit({ identifier: 'alice', password: 'right' })).status).toBe(429)
    expect((await submit({ identifier: 'bob', password: 'x' })).status).toBe(401)
  })

  it('guessing from many addresses of one IPv6 network is blocked, and people in other networks can still sign in', async () => {
    const { app, fake, callback } = host()
    app.proxy = true
    async function guess(n: number, ip: string) {
      fake.pending = { ...pendingLogin, uid: `uid-${n}` }
      const form = await request(callback).get(`/auth/interaction/uid-${n}`)
      const { status } = await request(callback)
        .post(`/auth/interaction/uid-${n}/sign-in`)
        .set('X-Forwarded-For', ip)
        .type('form')
        .send({ csrf: csrfIn(form.text), identifier: 'alice', password: 'wrong' })
      return status
    }
    for (let n = 0; n < 10; n += 1) expect(await guess(n, `2001:db8:0:1:${n}::${n}`)).toBe(401)
    expect(await guess(10, '2001:db8:0:1:ffff::1')).toBe(429)
    expect(await guess(11, '2001:db8:0:2::1')).toBe(401)
  })

  it('a sign-in form that is sent again after the sign-in leads back to the interaction', async () => {
    const { callback, fake, authenticate } = host()
    fake.pending = pendingConsent
    const answer = await request(callback).post(`${page}/sign-in`).type('form').send({ identifier: 'alice' })
    expect(nextIn(answer.text)).toBe(`${issuer}/interaction/uid-1`)
    expect(authenticate).not.toHaveBeenCalled()
  })
})

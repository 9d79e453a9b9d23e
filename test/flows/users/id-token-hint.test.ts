import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SignedIn, Store } from 'koa-gatehouse'
import { isAt, redirectOf, type Browser, type Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, CALLBACK, connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startUsersHost, type UsersHost } from '../../support/users-host.ts'

const SCOPE = 'openid invoices:read'

describeEachStore('an authorization request with id_token_hint', (makeStore) => {
  let host: UsersHost
  let application: { client_id: string; client_secret: string }
  let browser: Browser
  const hints = new Map<string, string>()
  const values: string[] = []

  const signIn = (page: Page, identifier: string) =>
    browser.submit(page, { action: /sign-in/, change: { identifier, password: 'correct' } })
  const approve = (page: Page, scope = SCOPE, options: { follow?: boolean } = {}) =>
    browser.submit(page, {
      action: /consent$/,
      change: { scope: scope.split(' ') },
      button: ['action', 'approve'],
      ...options,
    })
  const outcomeOf = ({ url }: Page) =>
    url.searchParams.get('error') ?? (url.searchParams.has('code') ? 'code' : '')

  async function subjectOf(page: Page): Promise<unknown> {
    expect(isAt(page, CALLBACK), `${page.url.href} ${page.status}`).toBe(true)
    const code = page.url.searchParams.get('code') ?? ''
    const { body } = await host.exchangeCode(application, code)
    return decodeJwt(String(body['access_token'])).sub
  }

  async function start(session: boolean) {
    host = await startUsersHost({ store: watched(makeStore(), values), session })
    application = await host.createApplication()
  }
  const request = (user: string, parameters: Record<string, string> = {}) =>
    authorizationUrl(host, application.client_id, {
      scope: SCOPE,
      id_token_hint: hints.get(user) ?? '',
      ...parameters,
    })
  beforeEach(() => {
    browser = host.browser()
    values.splice(0)
  })

  describe('id_token_hint at the built-in sign-in page', () => {
    afterAll(() => host.close())
    beforeAll(async () => {
      await start(false)
      for (const user of ['firm/intern', 'firm/owner', 'alice']) {
        const { id_token } = await connect(host, application, { user, parameters: { scope: SCOPE } })
        hints.set(user, String(id_token))
      }
    })

    it.each(['firm/owner', 'alice'])(
      'a request with the id_token_hint of one user is answered with login_required when %s signs in instead',
      async (user) => {
        const page = await signIn(await browser.open(request('firm/intern')), user)
        expect(isAt(page, CALLBACK)).toBe(true)
        expect(Object.fromEntries(page.url.searchParams)).toMatchObject({
          error: 'login_required',
          state: 'xyz',
          iss: host.issuer,
        })
      },
    )

    it('a request with the id_token_hint of a user gets a code when that user signs in', async () => {
      const page = await signIn(await browser.open(request('firm/intern')), 'firm/intern')
      // No consent page is shown, because this user has approved the request before.
      expect(await subjectOf(page)).toBe('firm!intern')
    })

    it('a request with the id_token_hint of a user who is not signed in leads to the sign-in page, or to login_required with prompt=none', async () => {
      await signIn(await browser.open(request('firm/owner')), 'firm/owner')
      const silent = await browser.open(request('firm/intern', { prompt: 'none' }))
      expect(outcomeOf(silent)).toBe('login_required')
      const page = await browser.open(request('firm/intern'))
      expect(asksFor(page)).toBe('sign-in')
      expect(await subjectOf(await signIn(page, 'firm/intern'))).toBe('firm!intern')
      expect(outcomeOf(await browser.open(request('firm/intern', { prompt: 'none' })))).toBe('code')
    })

    it('a pending authorization stores the subject of the ID token in id_token_hint, and no other part of this token', async () => {
      const page = await browser.open(request('firm/intern', { prompt: 'consent' }))
      const consent = await signIn(page, 'firm/intern')
      expect(asksFor(consent)).toBe('consent')
      const stored = values.join('\n')
      expect(stored).toContain('"id_token_hint":"firm!intern"')
      const [, claims = '', signature = ''] = hints.get('firm/intern')?.split('.') ?? []
      for (const part of [claims, signature]) expect(stored).not.toContain(part)
      expect(await subjectOf(await approve(consent))).toBe('firm!intern')
    })

    it('a request with id_token_hint is answered with login_required when the user switches the account', async () => {
      const page = await signIn(
        await browser.open(request('firm/intern', { prompt: 'consent' })),
        'firm/intern',
      )
      const next = await browser.submit(page, { action: /switch$/ })
      expect(isAt(next, CALLBACK)).toBe(true)
      expect(outcomeOf(next)).toBe('login_required')
      // Switching the account has also signed the user out.
      expect(asksFor(await browser.open(request('firm/intern')))).toBe('sign-in')
    })

    it('a forged id_token_hint is rejected', async () => {
      hints.set('forged', `${String(hints.get('alice')).slice(0, -8)}AAAAAAAA`)
      expect(outcomeOf(await browser.open(request('forged')))).toBe('invalid_request')
    })
  })

  describe("id_token_hint with the host's own session", () => {
    afterAll(() => host.close())
    beforeAll(async () => {
      await start(true)
      browser = host.browser()
      for (const userId of ['intern', 'owner']) {
        host.signInAt(browser, { accountId: 'firm', userId })
        const page = await approve(
          await browser.open(
            authorizationUrl(host, application.client_id, { scope: SCOPE, prompt: 'consent' }),
          ),
        )
        const code = page.url.searchParams.get('code') ?? ''
        const { body } = await host.exchangeCode(application, code)
        hints.set(`firm/${userId}`, String(body['id_token']))
      }
    })

    it('id_token_hint is checked again when the browser returns from the consent page', async () => {
      const approveAs = async (who: SignedIn, scope: string) => {
        host.signInAt(browser, who)
        const url = authorizationUrl(host, application.client_id, { scope, prompt: 'consent' })
        const page = await approve(await browser.open(url), scope)
        const code = page.url.searchParams.get('code') ?? ''
        return (await host.exchangeCode(application, code)).body
      }
      const scope = 'openid payments:list'
      // The owner has already approved the scope that alice is asked for. Alice approves, and then the owner
      // signs in. If id_token_hint were not checked again, the owner would get a code.
      await approveAs({ accountId: 'firm', userId: 'owner' }, scope)
      hints.set('alice', String((await approveAs({ accountId: 'alice' }, SCOPE))['id_token']))
      const consent = await browser.open(request('alice', { scope }))
      expect(asksFor(consent)).toBe('consent')
      const address = redirectOf(await approve(consent, scope, { follow: false })) ?? ''
      expect(address).toMatch(`${host.issuer}/oauth2/authorize/`)
      host.signInAt(browser, { accountId: 'firm', userId: 'owner' })
      const page = await browser.open(address)
      expect(page.url.searchParams.get('code')).toBeNull()
      expect(page.url.pathname).toBe('/login')
    })

    it('a request with id_token_hint is answered with login_required when another user signs in at the host before the approval', async () => {
      host.signInAt(browser, { accountId: 'firm', userId: 'intern' })
      const consent = await browser.open(request('firm/intern', { prompt: 'consent' }))
      host.signInAt(browser, { accountId: 'firm', userId: 'owner' })
      expect(outcomeOf(await approve(consent))).toBe('login_required')
    })
  })
})

/** Wraps a store and records all text that is passed to it. */
function watched(store: Store, values: string[]): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        values.push(args.filter((argument) => typeof argument === 'string').join(' '))
        return Reflect.apply(member, target, args)
      }
    },
  })
}

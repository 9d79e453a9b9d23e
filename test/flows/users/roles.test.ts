import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Browser } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, connect, signInAs, type Tokens } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
import { expectAccepted, expectRejected, freezeSecond } from '../../support/token-checks.ts'
import { startUsersHost, type UsersHost } from '../../support/users-host.ts'

const READ = 'GET /invoices/list'
const CREATE = 'POST /invoices/create'
const ALL = 'openid invoices:read invoices:create payments:list payments:transfer'
const [ADMIN, EDITOR, VIEWER] = ['firm/admin', 'firm/editor', 'firm/viewer']
const ROLES = {
  editor: ['invoices:read', 'invoices:create', 'payments:list'],
  viewer: ['invoices:read'],
}

describeEachStore('the role of a user in a company', (makeStore) => {
  let host: UsersHost
  let application: Client

  beforeEach(async () => {
    host = await startUsersHost({ store: makeStore(), gatehouse: { refreshTokenGraceSeconds: 30 } })
    for (const user of [ADMIN, EDITOR, VIEWER]) host.users.set(user, { name: user })
    host.operations.set(EDITOR, ROLES.editor)
    host.operations.set(VIEWER, ROLES.viewer)
    application = await host.createApplication()
  })
  afterEach(async () => {
    vi.useRealTimers()
    expect(host.errors).toEqual([])
    await host.close()
  })

  const connectAs = (user: string, scope = ALL, browser?: Browser) =>
    connect(host, application, { user, browser, parameters: { scope } })
  const changed = (userId: string) => host.gatehouse.accounts.changed('firm', { userId })
  const refresh = async ({ refresh_token }: Tokens, parameters = {}) => {
    const { status, body } = await host.refresh(application, refresh_token, parameters)
    return { status, ...(body as unknown as Tokens & { error?: string; error_description?: string }) }
  }
  async function keyOf(userId?: string): Promise<Client> {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'firm',
      ...(userId !== undefined && { userId }),
      name: 'Key',
      products: ['invoices', 'payments'],
    })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }
  /** Pauses the next call of `find` for a user, after it has read its answer. */
  function pauseNextFind(user: string) {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const reached = new Promise<void>((resolve) => {
      host.pause.beforeAnswer = async (person) => {
        if (person !== user) return
        host.pause.beforeAnswer = async () => {}
        resolve()
        await released
      }
    })
    return { reached, release: () => release() }
  }

  describe('consent', () => {
    /** The scopes that the consent page offers to a user, without `openid`. */
    async function offered(user: string, parameters: Record<string, string> = { scope: ALL }) {
      const { pages } = await authorize(host, application.client_id, { user, parameters })
      const page = pages.findLast((each) => asksFor(each) === 'consent')
      return [...(page?.body ?? '').matchAll(/value="([a-z]+:[a-z]+)"/g)].map(([, scope]) => scope)
    }

    it('the consent page offers each user the operations of the role, also if the application names no scope', async () => {
      for (const parameters of [{ scope: ALL }, {}] as Record<string, string>[]) {
        expect(await offered(ADMIN, { ...parameters, prompt: 'consent' })).toEqual([
          'invoices:read',
          'invoices:create',
          'payments:list',
          'payments:transfer',
        ])
        expect(await offered(EDITOR, { ...parameters, prompt: 'consent' })).toEqual(ROLES.editor)
        expect(await offered(VIEWER, { ...parameters, prompt: 'consent' })).toEqual(ROLES.viewer)
      }
    })

    it.each([
      ['a ticked operation that the page did not offer is not granted', VIEWER],
      ['a role that is lowered while the consent page is open limits the decision', EDITOR],
    ])('%s', async (_, user) => {
      const browser = host.browser()
      const url = authorizationUrl(host, application.client_id, { scope: ALL })
      const page = await signInAs(browser, await browser.open(url), user)
      host.operations.set(user, ROLES.viewer)
      const back = await browser.submit(page, {
        action: /consent$/,
        change: { scope: ALL.split(' ') },
        button: ['action', 'approve'],
      })
      const { body } = await host.exchangeCode(application, back.url.searchParams.get('code') ?? '')
      expect(body['scope']).toBe('openid invoices:read')
    })

    it('a request for operations that the user may not use fails with invalid_scope and the reason, with and without a session', async () => {
      const browser = host.browser()
      for (const parameters of [{ prompt: '' }, { prompt: 'none' }, { prompt: 'consent' }]) {
        const { callback } = await authorize(host, application.client_id, {
          user: VIEWER,
          browser,
          parameters: { scope: 'invoices:create payments:list', ...parameters },
        })
        expect([callback.searchParams.get('error'), callback.searchParams.get('error_description')]).toEqual([
          'invalid_scope',
          'this user may use none of the requested operations now',
        ])
      }
    })

    it('openid is never limited: a user without any operation signs in at an application, and user info answers', async () => {
      host.operations.set(VIEWER, [])
      const tokens = await connectAs(VIEWER)
      expect(tokens.scope).toBe('openid')
      expect((await host.userInfo(tokens.access_token)).body['sub']).toBe('firm!viewer')
      expect((await refresh(tokens)).scope).toBe('openid')
    })

    it('"use another account" offers the operations of the other user', async () => {
      const browser = host.browser()
      const url = authorizationUrl(host, application.client_id, { scope: ALL })
      const page = await signInAs(browser, await browser.open(url), VIEWER)
      const signIn = await browser.submit(page, { action: /switch$/ })
      const consent = await signInAs(browser, signIn, EDITOR)
      expect(consent.body).toContain('payments:list')
      expect(consent.body).not.toContain('payments:transfer')
    })

    it('a lower role keeps the stored consent: a higher role works again without a page', async () => {
      const browser = host.browser()
      await connectAs(EDITOR, ALL, browser)
      const silently = async () => {
        const url = authorizationUrl(host, application.client_id, { scope: ALL, prompt: 'none' })
        const { searchParams } = (await browser.open(url)).url
        const { body } = await host.exchangeCode(application, searchParams.get('code') ?? '')
        return body['scope'] ?? searchParams.get('error')
      }
      host.operations.set(EDITOR, ROLES.viewer)
      expect(await silently()).toBe('openid invoices:read')
      // A decision about the remaining operations says nothing about the others.
      await connect(host, application, {
        user: EDITOR,
        browser,
        parameters: { scope: ALL, prompt: 'consent' },
      })
      host.operations.set(EDITOR, ROLES.editor)
      expect(await silently()).toBe(`openid ${ROLES.editor.join(' ')}`)
    })

    it("the host's own application gets the operations of the role without a consent page", async () => {
      application = await host.createApplication({ firstParty: true })
      expect((await connectAs(VIEWER)).scope).toBe('openid invoices:read')
      expect((await connectAs(EDITOR)).scope).toBe(`openid ${ROLES.editor.join(' ')}`)
      const { callback } = await authorize(host, application.client_id, {
        user: VIEWER,
        parameters: { scope: 'invoices:create' },
      })
      expect(callback.searchParams.get('error')).toBe('invalid_scope')
    })
  })

  describe('tokens of applications', () => {
    it('a code exchange and a refresh issue only the operations of the present role', async () => {
      const { code } = await authorize(host, application.client_id, {
        user: EDITOR,
        parameters: { scope: ALL },
      })
      host.operations.set(EDITOR, ROLES.viewer)
      const { body } = await host.exchangeCode(application, code)
      expect(body['scope']).toBe('openid invoices:read')
      await expectAccepted(host, body['access_token'], READ)
      expect((await host.call(CREATE, String(body['access_token']))).status).toBe(403)
      host.operations.set(EDITOR, ROLES.editor)
      const raised = await refresh(body as unknown as Tokens)
      expect(raised.scope).toBe(`openid ${ROLES.editor.join(' ')}`)
      host.operations.set(EDITOR, ROLES.viewer)
      expect((await refresh(raised)).scope).toBe('openid invoices:read')
    })

    it('if no operation is left, a code exchange and a refresh fail with invalid_scope and the reason, and the refresh token stays valid', async () => {
      const scope = 'invoices:create'
      const tokens = await connectAs(EDITOR, scope)
      const { code } = await authorize(host, application.client_id, { user: EDITOR, parameters: { scope } })
      host.operations.set(EDITOR, ROLES.viewer)
      const rejected = {
        error: 'invalid_scope',
        error_description: expect.stringContaining('the operations that the host allows this user') as string,
      }
      expect((await host.exchangeCode(application, code)).body).toMatchObject(rejected)
      expect(await refresh(tokens)).toMatchObject({ status: 400, ...rejected })
      host.operations.set(EDITOR, ROLES.editor)
      expect(await refresh(tokens)).toMatchObject({ status: 200, scope })
    })

    it('a refresh that asks for a lost operation alone fails, and one that asks for more leaves it out', async () => {
      const tokens = await connectAs(EDITOR)
      host.operations.set(EDITOR, ROLES.viewer)
      expect(await refresh(tokens, { scope: 'payments:list' })).toMatchObject({ error: 'invalid_scope' })
      expect(await refresh(tokens, { scope: 'payments:list invoices:read' })).toMatchObject({
        scope: 'invoices:read',
      })
    })

    it('a refresh that is repeated within the grace period follows the present role', async () => {
      const tokens = await connectAs(EDITOR)
      const first = await refresh(tokens)
      host.operations.set(EDITOR, ROLES.viewer)
      const again = await refresh(tokens)
      expect(again).toMatchObject({ refresh_token: first.refresh_token, scope: 'openid invoices:read' })
    })
  })

  describe('API keys', () => {
    it("the API key of a user carries the operations of the user's role, and a key of the company carries all", async () => {
      const scopes = async (userId?: string) =>
        (await host.requestDirectToken(await keyOf(userId))).body['scope']
      const all = 'invoices:read invoices:create payments:list payments:transfer'
      expect(await scopes('viewer')).toBe('invoices:read')
      expect(await scopes('editor')).toBe(ROLES.editor.join(' '))
      expect(await scopes('admin')).toBe(all)
      host.operations.set('firm', ['invoices:read'])
      expect(await scopes()).toBe(all)
    })

    it('a key whose user lost an operation gets invalid_scope if it asks for the operation, and unauthorized_client if none is left', async () => {
      const key = await keyOf('viewer')
      const asked = await host.requestDirectToken(key, { scope: 'invoices:read invoices:create' })
      expect([asked.status, asked.body]).toEqual([
        400,
        {
          error: 'invalid_scope',
          error_description: 'the user of this API key may not use the operation invoices:create',
          scope: 'invoices:create',
        },
      ])
      expect((await host.requestDirectToken(key, { scope: 'invoices:read' })).body['scope']).toBe(
        'invoices:read',
      )
      host.operations.set(VIEWER, [])
      const none = await host.requestDirectToken(key)
      expect([none.status, none.body]).toEqual([
        400,
        {
          error: 'unauthorized_client',
          error_description: 'the user of this API key may use none of its operations now',
        },
      ])
    })
  })

  describe('accounts.changed()', () => {
    it('after a role is lowered, accounts.changed() revokes the tokens that carry a lost operation, and no others', async () => {
      const tokens = await connectAs(EDITOR)
      const narrow = await connectAs(EDITOR, 'invoices:read')
      const colleague = await connectAs(ADMIN)
      const [key, company] = [await keyOf('editor'), await keyOf()]
      const direct = String((await host.requestDirectToken(key)).body['access_token'])
      const directNarrow = await host.requestDirectToken(key, { scope: 'invoices:read' })
      const ofCompany = await host.requestDirectToken(company)
      freezeSecond()
      await changed('editor')
      host.operations.set(EDITOR, ROLES.viewer)
      await expectAccepted(host, tokens.access_token, CREATE)
      expect(await changed('editor')).toEqual({ clients: 1, grants: 1, secretsToRotate: [] })
      await expectRejected(host, [tokens.access_token, direct], READ)
      await expectAccepted(host, [narrow.access_token, colleague.access_token], READ)
      await expectAccepted(host, [directNarrow.body['access_token'], ofCompany.body['access_token']], READ)
      expect((await host.introspect(application, tokens.access_token)).body).toEqual({ active: false })
      expect((await host.userInfo(tokens.access_token)).status).toBe(401)

      // The application and the key go on with what the role still covers.
      const refreshed = await refresh(tokens)
      expect(refreshed.scope).toBe('openid invoices:read')
      await expectAccepted(host, refreshed.access_token, READ)
      await expectAccepted(host, (await host.requestDirectToken(key)).body['access_token'], READ)
      // Reporting the same change again revokes no token that is still valid.
      await changed('editor')
      await host.gatehouse.accounts.changed('firm')
      await expectAccepted(host, [refreshed.access_token, narrow.access_token, colleague.access_token], READ)
    })

    it('accounts.changed() without userId limits every user whose role was lowered', async () => {
      const [editor, viewer, admin] = [
        await connectAs(EDITOR),
        await connectAs(VIEWER),
        await connectAs(ADMIN),
      ]
      host.operations.set(EDITOR, ['payments:list'])
      host.operations.set(ADMIN, ROLES.editor)
      host.asked.splice(0)
      expect(await host.gatehouse.accounts.changed('firm')).toMatchObject({ clients: 0, grants: 2 })
      expect(host.asked.toSorted()).toEqual(['firm', ADMIN, EDITOR, VIEWER])
      await expectRejected(host, [editor.access_token, admin.access_token], READ)
      await expectAccepted(host, viewer.access_token, READ)
      expect((await refresh(admin)).scope).toBe(`openid ${ROLES.editor.join(' ')}`)

      // An account without users is limited in the same way.
      const alice = await connectAs('alice')
      host.operations.set('alice', ['payments:list'])
      expect(await host.gatehouse.accounts.changed('alice')).toMatchObject({ clients: 0, grants: 1 })
      await expectRejected(host, alice.access_token, READ)
      expect((await refresh(alice)).scope).toBe('openid payments:list')
    })

    it('an operation that is given back to a grant works when one lifetime of access tokens is over, and in a new grant at once', async () => {
      freezeSecond()
      const tokens = await connectAs(EDITOR)
      host.operations.set(EDITOR, ROLES.viewer)
      await changed('editor')
      host.operations.set(EDITOR, ROLES.editor)
      await changed('editor')
      const soon = await refresh(tokens)
      expect(soon.scope).toBe('openid invoices:read')
      await expectAccepted(host, soon.access_token, READ)
      await expectAccepted(host, (await connectAs(EDITOR)).access_token, CREATE)

      vi.setSystemTime(Date.now() + (3600 + 121) * 1000)
      const late = await refresh(soon)
      expect(late.scope).toBe(`openid ${ROLES.editor.join(' ')}`)
      await expectAccepted(host, late.access_token, CREATE)
    })

    it('an operation that is given back to the user of an API key works at once', async () => {
      const key = await keyOf('editor')
      const before = await host.requestDirectToken(key)
      host.operations.set(EDITOR, ROLES.viewer)
      await changed('editor')
      host.operations.set(EDITOR, ROLES.editor)
      await changed('editor')
      await expectAccepted(host, (await host.requestDirectToken(key)).body['access_token'], CREATE)
      await expectRejected(host, before.body['access_token'], CREATE)
    })

    it.each(['authorization_code', 'refresh_token', 'client_credentials'])(
      'when a role is lowered during a token request (%s), no token with a lost operation is accepted',
      async (grant_type) => {
        freezeSecond()
        const client = grant_type === 'client_credentials' ? await keyOf('editor') : application
        const parameters = {
          client_credentials: async () => ({}),
          refresh_token: async () => ({ refresh_token: (await connectAs(EDITOR)).refresh_token }),
          authorization_code: async () => ({
            code: (await authorize(host, client.client_id, { user: EDITOR, parameters: { scope: ALL } }))
              .code,
          }),
        }[grant_type]
        const own = await parameters?.()
        const { reached, release } = pauseNextFind(EDITOR)
        const request = host.token({ ...client, grant_type, ...own })
        await reached
        host.operations.set(EDITOR, ROLES.viewer)
        await changed('editor')
        release()
        const { status, body } = await request
        // This process knows that the grant has lost the operation. Of a key, the token names the old epoch.
        const isOfKey = grant_type === 'client_credentials'
        expect([status, String(body['scope']).includes('invoices:create')]).toEqual([200, isOfKey])
        if (isOfKey) await expectRejected(host, body['access_token'], READ)
        else await expectAccepted(host, body['access_token'], READ)
      },
    )

    it('the audit trail names the operations that a grant lost', async () => {
      await connectAs(EDITOR)
      host.operations.set(EDITOR, ROLES.viewer)
      await host.gatehouse.accounts.changed('firm', { userId: 'editor', actor: 'hr' })
      const { items } = await host.gatehouse.audit.list({ accountId: 'firm' })
      expect(items[0]).toMatchObject({
        name: 'grant.limited',
        accountId: 'firm',
        userId: 'editor',
        clientId: application.client_id,
        scopes: ['invoices:create', 'payments:list'],
        actor: 'hr',
        reason: 'account-changed',
      })
    })
  })
})

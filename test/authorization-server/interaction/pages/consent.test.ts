import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import type { Accounts, SignedIn } from '../../../../src/host/accounts.ts'
import { pendingConsent } from '../fake-port.ts'
import { csrfIn, hostApp, issuer, nextIn } from '../host-app.ts'
import { writeDuration } from '../../../../src/authorization-server/interaction/pages/consent.ts'

const page = '/auth/interaction/uid-1'
type Fields = Record<string, string | string[]>

/** Opens the consent page, calls `between`, and then sends `fields` with the CSRF token of the page. */
async function submit(app: ReturnType<typeof hostApp>, action: string, fields: Fields, between = () => {}) {
  const { text } = await request(app.callback).get(page)
  between()
  return request(app.callback)
    .post(`${page}/${action}`)
    .type('form')
    .send({ csrf: csrfIn(text), ...fields })
}

/** Maps the scope of each checkbox in `markup` to whether the checkbox is checked. */
const boxes = (markup: string) =>
  Object.fromEntries(
    [...markup.matchAll(/<input\s+type="checkbox"[^>]*>/g)].map(([input]) => [
      /value="([^"]*)"/.exec(input)?.[1],
      /\schecked\b/.test(input),
    ]),
  )

/** The text of a page without its markup and stylesheet. */
const textOf = (markup: string) =>
  markup
    .replace(/<head>.*<\/head>/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('the consent page', () => {
  it('a reader with German gets the whole page in German without any option', async () => {
    const { text } = await request(hostApp({ pending: pendingConsent }).callback)
      .get(page)
      .set('Accept-Language', 'de-CH,fr;q=0.5')
    expect(text).toContain('<html lang="de" dir="ltr">')
    // No text falls back to English.
    expect(text).not.toContain('lang="en"')
    const read = textOf(text)
    expect(read).toContain('Ledgerly möchte auf Ihr Konto bei Example Bank zugreifen')
    expect(read).toContain('Der Zugriff endet, wenn Ledgerly ihn 30 Tage lang nicht nutzt.')
    expect(read).toMatch(/Erlauben Ablehnen/)
  })

  it('the consent page shows the application, the account, the scopes, the duration and the target', async () => {
    const { text, status } = await request(hostApp({ pending: pendingConsent }).callback).get(page)
    expect(status).toBe(200)
    const read = textOf(text)
    expect(read).toContain('Ledgerly wants access to your Example Bank account')
    expect(read).toContain('by Ledgerly Ltd · ledgerly.example')
    expect(read).toContain('Signed in as Alice Example')
    expect(read).toMatch(/About you ✓ Know who you are Always included See your email address/)
    expect(read).toMatch(
      /Invoices What you bill your customers All : Invoices None : Invoices Read your invoices Amounts, dates .* Create invoices/,
    )
    expect(read).toMatch(/Payments Read your payments/)
    expect(read).toContain('Access ends if Ledgerly does not use it for 30 days .')
    expect(read).toContain('You will be sent back to https://ledgerly.example .')
    expect(read).not.toContain('Move money')
    expect(text).toContain(
      '<img src="https://cdn.ledgerly.example/logo.png" alt="" referrerpolicy="no-referrer" />',
    )
  })

  it('the consent page shows the e-mail address or user name beside the name, so that a person can distinguish their accounts', async () => {
    const account = { accountId: 'alice', name: 'Alice Example', login: 'alice+work@<b>example.com\u202e' }
    const { text } = await request(hostApp({ pending: { ...pendingConsent, account } }).callback).get(page)
    expect(textOf(text)).toContain('Signed in as Alice Example ( alice+work@&lt;b&gt;example.com )')
    const { text: without } = await request(hostApp({ pending: pendingConsent }).callback).get(page)
    expect(without).toContain('Signed in as <bdi>Alice Example</bdi></p>')
  })

  it('an operation of several products is shown once, under the product of the application', async () => {
    const operations = { 'reports:read': { route: 'GET /reports' as const, title: 'Read reports' } }
    const products = {
      first: { title: 'First product', operations },
      second: { title: 'Second product', operations },
    }
    const pending = { ...pendingConsent, requestedScopes: ['reports:read'] }
    const having = (own: string[] | undefined) => ({
      ...pending,
      application: { ...pending.application, products: own },
    })
    const read = async (own: string[] | undefined) =>
      textOf((await request(hostApp({ pending: having(own), products }).callback).get(page)).text)

    expect(await read(['second'])).toMatch(/Second product Read reports/)
    expect(await read(['second'])).not.toContain('First product')
    expect(await read(undefined)).toMatch(/First product Read reports/)
    expect((await read([])).match(/Read reports/g)).toHaveLength(1)
  })

  it('a sensitive operation has a mark with an explanation that describes its checkbox, and the selection stays as it is', async () => {
    const pending = { ...pendingConsent, requestedScopes: ['payments:list', 'payments:transfer'] }
    const { text } = await request(hostApp({ pending }).callback).get(page)
    expect(boxes(text)).toEqual({ 'payments:list': true, 'payments:transfer': true })
    expect(textOf(text)).toMatch(/Move money ! Sensitive \. A mistake here may be costly\..* trust Ledgerly/)
    expect(text.match(/class="note sensitive"/g)).toHaveLength(1)
    const id = /class="note sensitive" id="([^"]+)"/.exec(text)?.[1]
    expect(text).toMatch(new RegExp(`value="payments:transfer"[^>]*aria-describedby="${id}"`))
  })

  it('the consent page links to the privacy policy and the terms of the application, if it has them', async () => {
    const read = async (uris: { privacyUri?: string; termsUri?: string }) => {
      const application = { clientId: 'app-1', name: 'Ledgerly', ...uris }
      return (await request(hostApp({ pending: { ...pendingConsent, application } }).callback).get(page)).text
    }
    const both = await read({
      privacyUri: 'https://ledgerly.example/p',
      termsUri: 'https://ledgerly.example/t',
    })
    expect(both).toContain('<a href="https://ledgerly.example/p" target="_blank" rel="noopener noreferrer"')
    expect(textOf(both)).toContain(
      'Privacy policy of Ledgerly (opens in a new tab) Terms of Ledgerly (opens in a new tab)',
    )
    const one = textOf(await read({ termsUri: 'https://ledgerly.example/t' }))
    expect(one).toContain('Terms of Ledgerly')
    expect(one).not.toContain('Privacy policy')
    const hostile = await read({ privacyUri: 'javascript:alert(1)', termsUri: 'data:text/html,x' })
    expect(hostile).not.toMatch(/javascript:|data:text|Privacy policy/)
  })

  it('the consent page says where to disconnect the application later, if the host named its page', async () => {
    const read = async (options: { connectedApplicationsUri?: string }) =>
      (await request(hostApp({ pending: pendingConsent, ...options }).callback).get(page)).text
    const named = await read({ connectedApplicationsUri: '/settings/applications?a=1&b="2"' })
    expect(textOf(named)).toContain(
      'You can disconnect Ledgerly later under Connected applications (opens in a new tab) .',
    )
    expect(named).toContain('<a href="/settings/applications?a=1&amp;b=&quot;2&quot;" target="_blank"')
    expect(textOf(await read({}))).not.toContain('disconnect')
  })

  it('a scope without a text is shown by its name', async () => {
    const pending = { ...pendingConsent, requestedScopes: ['loyalty', 'gone:operation'] }
    const { text } = await request(hostApp({ pending }).callback).get(page)
    expect(boxes(text)).toEqual({ loyalty: true, 'gone:operation': true })
    expect(textOf(text)).toContain('See your data “ loyalty ”')
  })

  it('the consent page is in the language of ui_locales, or else of Accept-Language', async () => {
    const texts = { de: { approveButton: 'Verbinden' }, ar: { approveButton: 'سماح' } }
    const ask = async (uiLocales: string[], accept: string) =>
      (
        await request(hostApp({ pending: { ...pendingConsent, uiLocales }, texts }).callback)
          .get(page)
          .set('Accept-Language', accept)
      ).text

    const german = await ask([], 'de-AT,en;q=0.5')
    expect(german).toContain('<html lang="de" dir="ltr">')
    expect(textOf(german)).toMatch(
      /Rechnungen .* Ihre Rechnungen lesen .* Create invoices .* Verbinden Ablehnen/,
    )
    const arabic = await ask(['ar-EG'], 'de')
    expect(arabic).toContain('<html lang="ar" dir="rtl">')
    expect(await ask(['xx'], 'de;q=0')).toContain('<html lang="en" dir="ltr">')
  })
})

describe('a decision about consent', () => {
  it('the buttons of a group tick or untick the whole group, keep the other ticks, and decide nothing', async () => {
    const app = hostApp({ pending: pendingConsent })
    const { text } = await request(app.callback).get(page)
    const buttons = [...text.matchAll(/name="select" value="([^"]+)"/g)].map(([, value]) => value)
    // The other groups have only one checkbox each.
    expect(buttons).toEqual(['all:product:invoices', 'none:product:invoices'])
    expect(textOf(text)).toContain('All : Invoices None : Invoices')
    expect(text).not.toContain('autofocus')

    const all = await submit(app, 'consent', { select: 'all:product:invoices', scope: ['invoices:read'] })
    expect([all.status, nextIn(all.text)]).toEqual([200, undefined])
    expect(boxes(all.text)).toEqual({
      email: false,
      'invoices:read': true,
      'invoices:create': true,
      'payments:list': false,
    })
    expect(all.text).toMatch(/value="all:product:invoices" autofocus/)
    expect(all.text.match(/autofocus/g)).toHaveLength(1)

    const none = await submit(app, 'consent', {
      select: 'none:product:invoices',
      // A form that also contains a decision still decides nothing.
      action: 'approve',
      scope: ['email', 'invoices:read'],
    })
    expect(boxes(none.text)).toEqual({
      email: true,
      'invoices:read': false,
      'invoices:create': false,
      'payments:list': false,
    })
    expect(none.text).toMatch(/value="none:product:invoices" autofocus/)
    expect(none.text).not.toContain('role="alert"')
    expect(app.fake.calls).toEqual([])
  })

  it('a button of a group that no longer exists keeps all ticks', async () => {
    const app = hostApp({ pending: pendingConsent })
    const answer = await submit(app, 'consent', { select: 'none:product:gone', scope: ['email'] })
    expect(answer.status).toBe(200)
    expect(boxes(answer.text)).toMatchObject({ email: true, 'invoices:read': false })
    expect(app.fake.calls).toEqual([])
  })

  it('a malformed choice of a group, and a form without a valid action, decide nothing', async () => {
    const app = hostApp({ pending: pendingConsent })
    const choices: Fields[] = ['some:about-you', 'all:', 'all', '', ['all:about-you', 'all:about-you']].map(
      (select) => ({ select, action: 'approve' }),
    )
    for (const fields of [...choices, {}, { action: 'other' }, { action: ['approve', 'deny'] }]) {
      const answer = await submit(app, 'consent', { ...fields, scope: ['email'] })
      expect([fields, answer.status]).toEqual([fields, 400])
      expect(answer.text).toContain('invalid_request')
    }
    expect(app.fake.calls).toEqual([])
  })

  it('a button of a group without the CSRF token of the page gets 403', async () => {
    const app = hostApp({ pending: pendingConsent })
    for (const csrf of ['', 'wrong']) {
      const answer = await submit(app, 'consent', { csrf, select: 'all:product:invoices' })
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('access_denied')
      expect(boxes(answer.text)).toEqual({})
    }
  })

  it('if openid was requested, a person can uncheck all checkboxes and approve only the sign-in', async () => {
    for (const requestedScopes of [['openid'], ['openid', 'email', 'invoices:read']]) {
      const app = hostApp({ pending: { ...pendingConsent, requestedScopes } })
      const answer = await submit(app, 'consent', { action: 'approve' })
      expect(answer.status).toBe(200)
      const [, ...denied] = requestedScopes
      expect(app.fake.calls).toEqual([['approved', { granted: ['openid'], denied }]])
    }
  })

  it('a decision leads to the sign-in page if the person has to sign in again', async () => {
    const app = hostApp({ pending: pendingConsent })
    const answer = await submit(app, 'consent', { action: 'approve', scope: 'email' }, () => {
      app.fake.pending = { ...pendingConsent, prompt: 'login' }
    })
    expect(nextIn(answer.text)).toBe(`${issuer}/interaction/uid-1`)
    expect(app.fake.calls).toEqual([])
  })
})

describe('a different person at the host', () => {
  const pending = { ...pendingConsent, account: { accountId: 'alice', userId: 'u1', name: 'Alice' } }
  const alice: SignedIn = { accountId: 'alice', userId: 'u1' }
  const others = [
    { accountId: 'bob', userId: 'u1' },
    { accountId: 'alice', userId: 'u2' },
    { accountId: 'alice' },
    null,
    '',
  ] as const

  function host(who: SignedIn | null | '') {
    const state = { who }
    const accounts: Partial<Accounts> = { current: () => state.who, signInUrl: () => '/login' }
    return { ...hostApp({ pending, accounts }), state }
  }

  it('while the same person is signed in at the host, the consent page is shown and its form is accepted', async () => {
    const app = host(alice)
    expect((await request(app.callback).get(page)).status).toBe(200)
    await submit(app, 'consent', { action: 'approve', scope: 'email' })
    expect(app.fake.calls.map(([method]) => method)).toEqual(['approved'])
  })

  it('if another person, or no one, is now signed in at the host, page and form start the request again, and decide nothing', async () => {
    for (const who of others) {
      const app = host(who)
      const answer = await request(app.callback).get(page)
      expect([answer.status, answer.headers['location']]).toEqual([303, `${issuer}/next/restart`])
      expect(app.fake.calls).toEqual([['restart', undefined]])
      for (const action of ['approve', 'deny']) {
        const changed = host(alice)
        const sent = await submit(changed, 'consent', { action, scope: 'email' }, () => {
          changed.state.who = who
        })
        expect(nextIn(sent.text)).toBe(`${issuer}/next/restart`)
        expect(changed.fake.calls).toEqual([['restart', undefined]])
      }
    }
  })

  it('the consent page starts the request again if the account has been deleted', async () => {
    const { account: _account, ...without } = pending
    const app = hostApp({ pending: without })
    expect((await request(app.callback).get(page)).headers['location']).toBe(`${issuer}/next/restart`)
  })
})

describe('using another account', () => {
  it('using another account ends the session of the host and of the gatehouse, and starts the request again', async () => {
    const signOut = vi.fn<NonNullable<Accounts['signOut']>>()
    const accounts = { current: () => ({ accountId: 'alice' }), signInUrl: () => '/login', signOut }
    const app = hostApp({ pending: pendingConsent, accounts })
    const answer = await submit(app, 'switch', {})
    expect(nextIn(answer.text)).toBe(`${issuer}/next/restart`)
    expect(app.fake.calls).toEqual([['restart', { endSession: true }]])
    expect(signOut).toHaveBeenCalledTimes(1)
  })

  it('using another account asks the host for a new sign-in if the host has no signOut', async () => {
    const signInUrl = vi.fn<NonNullable<Accounts['signInUrl']>>(() => 'https://login.example/')
    const app = hostApp({
      pending: pendingConsent,
      accounts: { current: () => ({ accountId: 'alice' }), signInUrl },
    })
    const answer = await submit(app, 'switch', {})
    expect(nextIn(answer.text)).toBe('https://login.example/')
    expect(signInUrl.mock.calls[0]?.[0].href).toBe(`${issuer}/interaction/uid-1`)
    expect(signInUrl.mock.calls[0]?.[2]).toEqual({ reauthenticate: true })
    expect(app.fake.calls).toEqual([])
  })
})

it('a duration is written in the largest unit that fits', () => {
  const cases = [
    [2_592_000, 'en', '30 days'],
    [86_400, 'en', '1 day'],
    [129_600, 'en', '1.5 days'],
    [7200, 'en', '2 hours'],
    [90, 'en', '1.5 minutes'],
    [1, 'en', '1 second'],
    [2_592_000, 'de', '30 Tage'],
  ] as const
  expect(cases.map(([seconds, locale]) => writeDuration(seconds, locale))).toEqual(
    cases.map((each) => each[2]),
  )
})

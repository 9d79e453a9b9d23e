import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Accounts, ConfirmedPermission, Store } from 'koa-gatehouse'
import type { Page } from '../../support/browser.ts'
import { readSession } from '../../support/session-cookie.ts'
import { credentialsOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

type Answer = Awaited<ReturnType<NonNullable<Accounts['confirm']>>>

describe('actions that need a fresh sign-in', () => {
  let store: Store
  let host: ConsoleHost
  let asked: { permission: ConfirmedPermission; returnTo: string | undefined; who: string | undefined }[]
  /** The permissions that a person has confirmed. */
  const confirmed = new Set<string>()
  let answer: ((permission: ConfirmedPermission, returnTo: URL | undefined) => Answer) | undefined
  beforeAll(async () => {
    store = memoryStore()
    host = await startConsole({
      store,
      accounts: {
        find: (id, userId) => (userId === 'left' ? undefined : { id, kycLevel: 'verified' }),
        confirm(ctx, permission, { returnTo }) {
          asked.push({ permission, returnTo: returnTo?.href, who: readSession(ctx)?.accountId })
          if (answer) return answer(permission, returnTo)
          return confirmed.has(permission) || `/prove?to=${encodeURIComponent(String(returnTo))}`
        },
      },
    })
  })
  afterAll(() => host.close())
  beforeEach(() => {
    asked = []
    confirmed.clear()
    answer = undefined
  })

  const keyOf = async (accountId: string, name = 'Ledger') =>
    (await host.gatehouse.apiKeys.create({ accountId, name, products: ['invoices'] })).apiKey.clientId
  /** The text of the last page to which the host returned. */
  let lastBack = ''
  const returnToOf = () => new URL(asked.at(-1)?.returnTo ?? '')
  const pathOf = ({ pathname, search }: URL) => pathname + search

  /** The page that leads to the host, as a test expects it. */
  function expectAsked(page: Page, permission: ConfirmedPermission): void {
    expect([page.status, textOf(page.body)]).toEqual([200, expect.stringContaining('Confirm that it is you')])
    expect(asked).toMatchObject([{ permission }])
    expect(returnToOf().origin).toBe(host.origin)
    expect(page.body).toContain(`href="${host.origin}/prove?to=`)
    expect(page.body).not.toContain('<form')
  }

  /** Opens the page to which the host returns, and continues. */
  async function comeBack(person: string, action: string) {
    const visitor = host.visit(person)
    const back = await visitor.open(pathOf(returnToOf()))
    expect([back.status, textOf(back.body)]).toEqual([200, expect.stringContaining('Almost done')])
    lastBack = textOf(back.body)
    return visitor.submit(back, action)
  }

  it('a new key: the form is kept, and the secret is shown after the sign-in', async () => {
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    const fields = { name: 'Nightly “<b>”', product: 'invoices', operation: 'invoices invoices:read' }
    expectAsked(await visitor.submit(form, 'create', fields), 'keys:create')
    expect((await host.gatehouse.apiKeys.listByOwner('acme')).items).toEqual([])
    confirmed.add('keys:create')
    const shown = await comeBack('acme', 'create')
    expect(lastBack).toContain('New API key A new secret is created, and shown once.')
    const { client_id: clientId } = credentialsOf(shown)
    const key = await host.gatehouse.apiKeys.find(clientId)
    expect(key).toMatchObject({ name: fields.name, products: ['invoices'] })
    expect(key?.removedOperations).not.toContain('invoices:read')
    expect(key?.removedOperations.length).toBeGreaterThan(0)
  })

  it.each([
    ['rotateSecret', 'keys:rotate', ''],
    ['delete', 'keys:delete', '/delete'],
  ] as const)('%s: it is done only after the sign-in', async (action, permission, below) => {
    const clientId = await keyOf('bob')
    const visitor = host.visit('bob')
    const page = await visitor.open(`/console/api-keys/${clientId}${below}`)
    const before = await host.gatehouse.apiKeys.listSecrets(clientId)
    expectAsked(await visitor.submit(page, action, { name: 'Ledger' }), permission)
    expect(await host.gatehouse.apiKeys.listSecrets(clientId)).toEqual(before)
    // A confirmation for something else is not enough.
    confirmed.add('keys:create')
    const again = await comeBack('bob', action)
    expect(textOf(again.body)).toContain('Confirm that it is you')
    confirmed.add(permission)
    expect((await comeBack('bob', action)).status).toBe(200)
    const found = await host.gatehouse.apiKeys.find(clientId)
    expect(lastBack).toContain('Ledger')
    expect(lastBack).toContain(action === 'delete' ? 'It is deleted for good' : 'A new secret is created')
    if (action === 'delete') expect(found).toBeUndefined()
    else expect(await host.gatehouse.apiKeys.listSecrets(clientId)).toHaveLength(2)
  })

  it('applications, and a secret that the page of what needs attention shows', async () => {
    const visitor = host.visit('carol')
    const form = await visitor.open('/console/applications/new')
    expectAsked(
      await visitor.submit(form, 'create', { name: 'App', product: 'invoices' }),
      'applications:create',
    )
    asked = []
    await host.gatehouse.apiKeys.create({ accountId: 'carol', createdBy: 'left', name: 'Key' })
    const attention = await visitor.open('/console/hygiene')
    expectAsked(await visitor.submit(attention, 'fix'), 'keys:rotate')
    confirmed.add('keys:rotate')
    expect(credentialsOf(await comeBack('carol', 'fix')).client_secret).toMatch(/^gatehouse_/)
  })

  it('operators: everything of an account is revoked or erased only after the sign-in', async () => {
    await keyOf('dave')
    const root = host.visit('root')
    const page = await root.open('/console/operator/accounts/dave/revoke')
    expectAsked(await root.submit(page, 'revokeAll', { endSecrets: 'yes' }), 'operator')
    const [key] = (await host.gatehouse.apiKeys.listByOwner('dave')).items
    expect(key?.epoch).toBe(0)
    confirmed.add('operator')
    await comeBack('root', 'revokeAll')
    const [after] = (await host.gatehouse.apiKeys.listByOwner('dave')).items
    expect(after).toMatchObject({ noSecret: 'compromised' })
    confirmed.clear()
    asked = []
    const account = await root.open('/console/operator/accounts/dave')
    expectAsked(await root.submit(account, 'erase'), 'operator')
    confirmed.add('operator')
    await comeBack('root', 'erase')
    expect(lastBack).toMatch(/[Ee]rase[^]*dave[^]*Access is revoked, and cannot be given back/)
    expect((await host.gatehouse.apiKeys.listByOwner('dave')).items).toEqual([])
  })

  it('what does not hurt needs no sign-in, and neither does a form that is rejected', async () => {
    const clientId = await keyOf('eve')
    const visitor = host.visit('eve')
    const page = await visitor.open(`/console/api-keys/${clientId}`)
    expect(textOf((await visitor.submit(page, 'rename', { name: 'Other' })).body)).toContain('Other')
    const deletion = await visitor.open(`/console/api-keys/${clientId}/delete`)
    expect((await visitor.submit(deletion, 'delete', { name: 'wrong' })).status).toBe(422)
    const form = await visitor.open('/console/api-keys/new')
    expect((await visitor.submit(form, 'create', { name: 'No product' })).status).toBe(422)
    const wrong = { name: 'x'.repeat(121), product: 'invoices' }
    expect((await visitor.submit(form, 'create', wrong)).status).toBe(422)
    const application = await visitor.open('/console/applications/new')
    const redirect = { name: 'App', product: 'invoices', redirectUris: 'not an address' }
    expect((await visitor.submit(application, 'create', redirect)).status).toBe(422)
    expect((await visitor.submit(page, 'rotateSecret', { overlap: 'nonsense' })).status).toBe(422)
    expect(asked).toEqual([])
  })

  it('the kept form opens once, and only for the same person, browser and page', async () => {
    const clientId = await keyOf('fay')
    const other = await keyOf('fay', 'Other')
    const visitor = host.visit('fay')
    const page = await visitor.open(`/console/api-keys/${clientId}`)
    await visitor.submit(page, 'rotateSecret')
    const back = returnToOf()
    confirmed.add('keys:rotate')
    const gone = async (person: string, path: string) => {
      const answered = await host.visit(person).open(path)
      expect(textOf(answered.body)).not.toContain('Almost done')
      return answered.status
    }
    await host.visit('gil').open('/console')
    expect(await gone('gil', pathOf(back))).toBe(404)
    expect(await gone('fay/nora', pathOf(back))).toBe(422)
    expect(await gone('fay', `/console/api-keys/${other}${back.search}`)).toBe(422)
    // The same person in another browser: the cookie of the CSRF tokens is another one.
    const stranger = host.browser()
    const cookies = visitor.browser.cookieHeader(back).split('; ')
    const login = cookies.filter((each) => !each.startsWith('gatehouse_csrf'))
    expect(login.length).toBe(cookies.length - 1)
    const elsewhere = await stranger.request(back, { headers: { cookie: login.join('; ') } })
    expect([elsewhere.status, textOf(elsewhere.body).includes('Almost done')]).toEqual([422, false])
    // The person who sent it gets it, once. HEAD does not use it up.
    const head = await visitor.browser.request(back, { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([200, ''])
    const [first, second] = await Promise.all([visitor.get(pathOf(back)), visitor.get(pathOf(back))])
    expect([
      [200, 422],
      [422, 200],
    ]).toContainEqual([first.status, second.status])
    const lost = first.status === 422 ? first : second
    expect(textOf(lost.body)).toContain('What you entered is not kept any more')
    expect(await gone('fay', `${back.pathname}?form=${'x'.repeat(22)}`)).toBe(422)
    expect(await gone('fay', `${back.pathname}?form=`)).toBe(422)
    expect(await host.gatehouse.apiKeys.listSecrets(clientId)).toHaveLength(1)
  })

  it('the store keeps one form of a person: the form of a second tab replaces the first', async () => {
    const [one, two] = [await keyOf('leo', 'One'), await keyOf('leo', 'Two')]
    const visitor = host.visit('leo')
    await visitor.submit(await visitor.open(`/console/api-keys/${one}`), 'rotateSecret')
    const first = returnToOf()
    await visitor.submit(await visitor.open(`/console/api-keys/${two}`), 'rotateSecret')
    expect((await visitor.open(pathOf(first))).status).toBe(422)
    confirmed.add('keys:rotate')
    await comeBack('leo', 'rotateSecret')
    expect(await host.gatehouse.apiKeys.listSecrets(one)).toHaveLength(1)
    expect(await host.gatehouse.apiKeys.listSecrets(two)).toHaveLength(2)
  })

  it('a form of another site, and one without a valid token, is not kept', async () => {
    const clientId = await keyOf('hal')
    const visitor = host.visit('hal')
    const page = await visitor.open(`/console/api-keys/${clientId}`)
    const foreign = await visitor.submit(page, 'rotateSecret', {}, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
    expect((await visitor.submit(page, 'rotateSecret', { csrf: 'x' })).status).toBe(403)
    expect(asked).toEqual([])
  })

  it('a confirmation holds for 5 minutes by the time that the host returns', async () => {
    const clientId = await keyOf('ivy')
    const visitor = host.visit('ivy')
    const page = await visitor.open(`/console/api-keys/${clientId}`)
    const url = '/prove'
    let confirmedAt: number | undefined
    answer = () => ({ confirmedAt, url })
    const rotate = async () => {
      const shown = await visitor.submit(page, 'rotateSecret', {
        overlap: 'now',
        request: crypto.randomUUID(),
      })
      return textOf(shown.body).includes('Confirm that it is you') ? 'asked' : shown.status
    }
    expect(await rotate()).toBe('asked')
    const now = Math.floor(Date.now() / 1000)
    for (const [at, result] of [
      [now, 200],
      [now - 298, 200],
      [now - 303, 'asked'],
      [now + 2, 200],
      [now + 3600, 'asked'],
      [0, 'asked'],
    ] as const) {
      confirmedAt = at
      expect(await rotate(), String(at - now)).toBe(result)
    }
  })

  it('a form is sealed in the store, and expires after 15 minutes', async () => {
    const writes: unknown[][] = []
    const watching = new Proxy(store, {
      get(target, name: keyof Store) {
        const value = target[name]
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'set') writes.push(args)
          return Reflect.apply(value, target, args)
        }
      },
    })
    const own = await startConsole({
      store: Object.assign(watching, { durable: undefined }),
      accounts: { confirm: () => '/prove' },
    })
    const visitor = own.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    await visitor.submit(form, 'create', { name: 'Kepler', product: 'invoices' })
    const kept = writes.find(([key]) => String(key).startsWith('form:'))
    expect(kept?.[2]).toBe(900)
    expect(String(kept?.[1])).not.toMatch(/Kepler|invoices|acme/)
    await own.close()
  })

  it('an answer of the host that is neither true nor an address is an error, and nothing is done', async () => {
    const clientId = await keyOf('jan')
    const visitor = host.visit('jan')
    const page = await visitor.open(`/console/api-keys/${clientId}`)
    for (const wrong of [
      false,
      undefined,
      null,
      7,
      '',
      'javascript:alert(1)',
      {},
      { confirmedAt: 'x', url: '/' },
    ]) {
      answer = () => wrong as never
      expect((await visitor.submit(page, 'rotateSecret')).status, JSON.stringify(wrong)).toBe(500)
    }
    answer = () => {
      throw new Error('the database is down')
    }
    expect((await visitor.submit(page, 'rotateSecret')).status).toBe(500)
    expect(await host.gatehouse.apiKeys.listSecrets(clientId)).toHaveLength(1)
  })
})

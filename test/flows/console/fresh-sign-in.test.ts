import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Accounts, ConfirmedPermission, Store } from 'koa-gatehouse'
import { formsOf, unescapeHtml, type Page } from '../../support/browser.ts'
import { POLICY } from '../../support/client-document.ts'
import { createClientKey } from '../../support/client-keys.ts'
import { readSession } from '../../support/session-cookie.ts'
import { credentialsOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

type Answer = Awaited<ReturnType<NonNullable<Accounts['confirm']>>>

/** An act, and what proves that it was done. */
interface Act {
  readonly person: string
  readonly permission: ConfirmedPermission
  readonly path: string
  readonly action: string
  readonly fields?: Record<string, string> | undefined
  isDone(): Promise<boolean>
}

const now = () => Math.floor(Date.now() / 1000)
const OLD = 'This needs a fresh sign-in'

describe('acts that need a fresh sign-in', () => {
  let host: ConsoleHost
  let pem = ''
  const writes: string[] = []
  let asked: { permission: ConfirmedPermission; returnTo: URL | undefined; who: string | undefined }[]
  /** When a person has given the proof for a permission. */
  const proofs = new Map<ConfirmedPermission, number>()
  let answer: (() => Answer) | undefined
  beforeAll(async () => {
    ;({ pem } = await createClientKey())
    host = await startConsole({
      store: watched(memoryStore(), writes),
      gatehouse: { privateKeyJwt: true, clientDocuments: [POLICY] },
      accounts: {
        find: (id, userId) => (userId === 'left' ? undefined : { id, kycLevel: 'verified' }),
        can: (_ctx, permission, { accountId }) => accountId !== 'reader' || permission.endsWith(':read'),
        confirm(ctx, permission, { returnTo }) {
          asked.push({ permission, returnTo, who: readSession(ctx)?.accountId })
          const url = `/prove?to=${encodeURIComponent(String(returnTo))}&"<b>`
          return answer ? answer() : { confirmedAt: proofs.get(permission), url }
        },
      },
    })
  })
  afterAll(() => host.close())
  beforeEach(() => {
    asked = []
    proofs.clear()
    answer = undefined
  })

  const keyOf = async (accountId: string, fields: object = {}) =>
    (await host.gatehouse.apiKeys.create({ accountId, name: 'Ledger', products: ['invoices'], ...fields }))
      .apiKey.clientId
  const keysOf = async (accountId: string) => (await host.gatehouse.apiKeys.listByOwner(accountId)).items
  const secretsOf = (clientId: string) => host.gatehouse.apiKeys.listSecrets(clientId)
  const lastReturnTo = () => asked.at(-1)?.returnTo ?? new URL('about:blank')
  const pathOf = ({ pathname, search }: URL) => pathname + search

  /** Opens the page of an act with a fresh proof, which is then too old. */
  async function openAct({ person, permission, path }: Pick<Act, 'person' | 'permission' | 'path'>) {
    proofs.set(permission, now())
    const page = await host.visit(person).open(path)
    expect([path, page.status]).toEqual([path, 200])
    proofs.clear()
    asked = []
    return page
  }

  /** Every act, on a target of its own. */
  async function acts(): Promise<Act[]> {
    const { apiKeys, applications, clientDocuments, signingKeys } = host.gatehouse
    const ids = await Promise.all(
      ['rotate', 'key', 'delete', 'give'].map(() => keyOf('bob', { userId: 'ann' })),
    )
    const [rotated = '', keyed = '', deleted = '', given = ''] = ids
    const { clientId: app } = (await applications.create({ accountId: 'bob', name: 'App' })).application
    await Promise.all([keyOf('dave'), keyOf('ed')])
    const { kid = '' } = (await signingKeys.list()).find(({ state }) => state === 'next') ?? {}
    const create = { name: 'New one', product: 'invoices', operation: 'invoices invoices:read' }
    const redirectUris = 'https://a.example.com/cb'
    const isNew = (items: readonly { readonly name: string }[]) =>
      items.some(({ name }) => name === create.name)
    const account = '/operator/accounts'
    const documents = '/operator/client-documents?confirm=block&host=bad.example.com'

    const act = (
      permission: ConfirmedPermission,
      path: string,
      [action, fields]: readonly [string, Record<string, string>?],
      isDone: Act['isDone'],
    ) => {
      const person = permission === 'operator' ? 'root' : 'bob/ann'
      return { person, permission, path: `/console${path}`, action, fields, isDone }
    }
    return [
      act('keys:create', '/api-keys/new', ['create', create], async () => isNew(await keysOf('bob'))),
      act('applications:create', '/applications/new', ['create', { ...create, redirectUris }], async () =>
        isNew((await applications.listByOwner('bob')).items),
      ),
      act(
        'keys:rotate',
        `/api-keys/${rotated}/secrets?confirm=rotateSecret`,
        ['rotateSecret', { overlap: 'hour' }],
        async () => (await secretsOf(rotated)).length === 2,
      ),
      act(
        'applications:rotate',
        `/applications/${app}/secrets?confirm=rotateSecret`,
        ['rotateSecret'],
        async () => (await applications.listSecrets(app)).length === 2,
      ),
      act(
        'keys:rotate',
        `/api-keys/${keyed}/secrets?confirm=addKey`,
        ['addKey', { key: pem }],
        async () => (await apiKeys.listKeys(keyed)).length === 1,
      ),
      act(
        'keys:delete',
        `/api-keys/${deleted}/delete`,
        ['delete', { name: 'Ledger' }],
        async () => (await apiKeys.find(deleted)) === undefined,
      ),
      act(
        'keys:rotate',
        `/api-keys/${given}/hand-over`,
        ['handOver', { userId: 'nora' }],
        async () => (await apiKeys.find(given))?.userId === 'nora',
      ),
      act('operator', `${account}/dave/revoke`, ['revokeAll', { endSecrets: 'yes' }], async () =>
        (await keysOf('dave')).every(({ noSecret }) => noSecret === 'compromised'),
      ),
      act(
        'operator',
        `${account}/ed?confirm=erase`,
        ['erase', { name: 'ed' }],
        async () => (await keysOf('ed')).length === 0,
      ),
      act('operator', documents, ['block'], async () =>
        (await clientDocuments.listBlocked()).some((each) => each.host === 'bad.example.com'),
      ),
      act(
        'operator',
        `/operator/signing-keys/${kid}/revoke`,
        ['revoke'],
        async () => (await signingKeys.list()).find((each) => each.kid === kid)?.state === 'revoked',
      ),
    ]
  }

  it('the page of an act leads to the host before it is shown, and the host leads back to it', async () => {
    for (const { person, permission, path, action } of await acts()) {
      asked = []
      proofs.clear()
      const visitor = host.visit(person)
      const first = await visitor.get(path)
      expect([path, first.status, first.headers.get('cache-control')]).toEqual([path, 303, 'no-store'])
      expect(first.headers.get('location')).toMatch(`${host.origin}/prove?to=`)
      expect(first.body).not.toContain('<form')
      expect(asked).toMatchObject([{ permission, returnTo: new URL(host.origin + path) }])
      // A proof for something else, or an old one, is not enough.
      proofs.set(permission === 'operator' ? 'keys:create' : 'operator', now()).set(permission, now() - 400)
      expect((await visitor.get(path)).status).toBe(303)
      proofs.set(permission, now() - 100)
      const shown = await visitor.get(pathOf(lastReturnTo()))
      const actions = formsOf(shown).flatMap(({ fields }) => fields.filter(([name]) => name === 'action'))
      expect([path, shown.status, actions]).toEqual([path, 200, [['action', action]]])
      expect(shown.headers.get('cache-control')).toBe('no-store')
      expect(shown.headers.get('x-frame-options')).toBe('DENY')
    }
  })

  it('a form with an old proof is shown again with what was typed, and is accepted after a proof in another tab', async () => {
    for (const act of await acts()) {
      const { person, permission, path, action, fields = {} } = act
      const visitor = host.visit(person)
      const form = await openAct(act)
      // Waits for what the changes before still write.
      await host.gatehouse.audit.list({ limit: 1 })
      writes.length = 0
      const again = await visitor.submit(form, action, fields)
      expect([path, again.status, await act.isDone()]).toEqual([path, 403, false])
      expect(asked).toMatchObject([{ permission }])
      expect([path, writes]).toEqual([path, []])
      expect(textOf(again.body)).toContain(OLD)
      const link = /<a class="button" href="([^"]*)" target="_blank" rel="noopener noreferrer"/.exec(
        again.body,
      )
      expect(unescapeHtml(link?.[1] ?? '')).toMatch(`${host.origin}/prove?to=`)
      expect(again.body).not.toContain('<b>')
      expect(again.headers.get('cache-control')).toBe('no-store')
      expect(again.headers.get('x-frame-options')).toBe('DENY')
      expect(again.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      for (const [name, value] of Object.entries(fields)) {
        expect([path, name, typedIn(again, name)]).toEqual([path, name, value])
      }
      // The other tab ends on a page without a form. The host is not asked for it.
      const returnTo = lastReturnTo()
      expect([returnTo.origin, returnTo.search]).toEqual([host.origin, '?other-tab='])
      asked = []
      const other = await visitor.open(pathOf(returnTo))
      expect([other.status, formsOf(other), asked]).toEqual([200, [], []])
      expect(textOf(other.body)).toContain('Go back to your other tab')
      expect(other.headers.get('cache-control')).toBe('no-store')
      // The form of the first tab and the form that was shown again are both accepted.
      proofs.set(permission, now())
      const done = await visitor.submit(action === 'create' ? form : again, action, fields)
      expect([path, done.status, await act.isDone()]).toEqual([path, 200, true])
    }
  })

  it('a repeat with an old proof keeps the id of the request, so no second key is made', async () => {
    const visitor = host.visit('carol')
    const act = { person: 'carol', permission: 'keys:create', path: '/console/api-keys/new' } as const
    const form = await openAct(act)
    const fields = { name: 'Once “<b>”', product: ['invoices'], operation: ['invoices invoices:read'] }
    proofs.set('keys:create', now())
    const first = credentialsOf(await visitor.submit(form, 'create', fields))
    proofs.clear()
    const again = await visitor.submit(form, 'create', fields)
    expect(again.status).toBe(403)
    expect(again.body).toContain('value="Once “&lt;b&gt;”"')
    expect(again.body).not.toContain(first.client_secret)
    expect(typedIn(again, 'request')).toBe(typedIn(form, 'request'))
    proofs.set('keys:create', now())
    expect(credentialsOf(await visitor.submit(again, 'create', fields))).toEqual(first)
    expect(await keysOf('carol')).toHaveLength(1)

    const [key] = await keysOf('carol')
    const path = `/console/api-keys/${key?.clientId}/secrets?confirm=rotateSecret`
    const rotation = await openAct({ person: 'carol', permission: 'keys:rotate', path })
    proofs.set('keys:rotate', now())
    const next = credentialsOf(await visitor.submit(rotation, 'rotateSecret'))
    proofs.clear()
    const repeated = await visitor.submit(rotation, 'rotateSecret')
    expect([repeated.status, repeated.body.includes(next.client_secret)]).toEqual([403, false])
    proofs.set('keys:rotate', now())
    expect(credentialsOf(await visitor.submit(repeated, 'rotateSecret'))).toEqual(next)
  })

  it('a form is accepted only for the person to whom it was shown', async () => {
    const path = '/console/api-keys/new'
    const form = await openAct({ person: 'fay', permission: 'keys:create', path })
    const { browser } = host.visit('fay')
    const again = await host.visit('fay').submit(form, 'create', { name: 'Fay', product: 'invoices' })
    expect(again.status).toBe(403)
    proofs.set('keys:create', now())
    // In the other tab, another person signs in.
    const other = Buffer.from(JSON.stringify({ accountId: 'gil' })).toString('base64url')
    browser.cookies.set(`host_session|${host.origin}|/`, { value: other, path: '/', origin: host.origin })
    for (const page of [form, again]) {
      const rejected = await browser.submit(page, { change: { name: 'Fay', product: 'invoices' } })
      expect([rejected.status, rejected.body.includes('Fay')]).toEqual([403, false])
    }
    // Another browser of the same person has not got the form either.
    const elsewhere = host.visit()
    elsewhere.browser.cookies.set(`host_session|${host.origin}|/`, {
      value: Buffer.from(JSON.stringify({ accountId: 'fay' })).toString('base64url'),
      path: '/',
      origin: host.origin,
    })
    expect((await elsewhere.browser.submit(form)).status).toBe(403)
    expect([await keysOf('fay'), await keysOf('gil')]).toEqual([[], []])
  })

  it('an act that was a button has a page of its own, and a link cannot fill in its form', async () => {
    const clientId = await keyOf('ivy')
    const path = `/console/api-keys/${clientId}/secrets`
    const page = await host.visit('ivy').open(path)
    expect(asked).toEqual([])
    expect(page.body).not.toMatch(/value="(rotateSecret|addKey)"|name="(overlap|key)"/)
    for (const [action, hostile] of [
      ['rotateSecret', '&overlap=now&request=chosen'],
      ['addKey', `&key=${encodeURIComponent(pem)}`],
    ]) {
      expect(page.body).toContain(`href="${path}?confirm=${action}"`)
      const act = {
        person: 'ivy',
        permission: 'keys:rotate',
        path: `${path}?confirm=${action}${hostile}`,
      } as const
      const { body } = await openAct(act)
      expect(body).not.toMatch(/chosen|value="now"\s+checked/)
      expect(body).not.toContain(pem.slice(60, 100))
    }
    // The page of what needs attention leads to the same page.
    await host.gatehouse.apiKeys.create({
      accountId: 'jan',
      createdBy: 'left',
      name: 'Key',
      expiresAt: now() + 86_400,
    })
    const attention = await host.visit('jan').open('/console/hygiene')
    const [key] = await keysOf('jan')
    expect(attention.body).toContain(`href="/console/api-keys/${key?.clientId}/secrets?confirm=rotateSecret"`)
    const posted = { fix: 'rotate', finding: 'known-to-former', clientId: key?.clientId ?? '' }
    expect((await host.visit('jan').submit(attention, 'fix', posted)).status).toBe(400)
    expect(await secretsOf(key?.clientId ?? '')).toHaveLength(1)
  })

  it('an operator who typed a host is asked before the page of the block, and the host stays typed', async () => {
    const root = host.visit('root')
    const page = await root.open('/console/operator/client-documents')
    const again = await root.submit(page, 'askBlock', { host: 'worse.example.com' })
    expect([again.status, typedIn(again, 'host')]).toEqual([403, 'worse.example.com'])
    proofs.set('operator', now())
    const confirmation = await root.submit(again, 'askBlock', { host: 'worse.example.com' })
    expect(textOf(confirmation.body)).toContain('Block worse.example.com?')
    expect((await root.submit(confirmation, 'block')).status).toBe(200)
    // A host that cannot be blocked is a problem of the form, also with an old proof.
    for (const at of [now(), 0]) {
      proofs.set('operator', at)
      expect((await root.submit(confirmation, 'block', { host: 'http://' })).status).toBe(422)
    }
  })

  it('a private key is never shown again, and the page says why', async () => {
    const { privatePem } = await createClientKey()
    const clientId = await keyOf('kim')
    for (const [path, permission, action] of [
      [`/console/api-keys/${clientId}/secrets?confirm=addKey`, 'keys:rotate', 'addKey'],
      ['/console/api-keys/new', 'keys:create', 'create'],
    ] as const) {
      const form = await openAct({ person: 'kim', permission, path })
      for (const status of [403, 422]) {
        const again = await host.visit('kim').submit(form, action, { name: 'Key', key: privatePem })
        expect([again.status, again.body.includes('PRIVATE KEY')]).toEqual([status, false])
        expect(textOf(again.body)).toContain('is a private key')
        proofs.set(permission, now())
      }
    }
  })

  it('only the public key is shown again, and nothing that was sent beside it', async () => {
    const { pem: publicPem, jwk, privatePem } = await createClientKey()
    const secret = privatePem.split('\n')[1] ?? ''
    for (const key of [
      JSON.stringify({ ...jwk, pair: { d: secret } }),
      `${secret}\n${publicPem}\n${secret}`,
    ]) {
      const clientId = await keyOf('kim')
      const path = `/console/api-keys/${clientId}/secrets?confirm=addKey`
      const form = await openAct({ person: 'kim', permission: 'keys:rotate', path })
      const again = await host.visit('kim').submit(form, 'addKey', { key })
      expect([again.status, again.body.includes(secret)]).toEqual([403, false])
      proofs.set('keys:rotate', now())
      const [, shown = ''] = /<textarea[^>]*>([^<]*)/.exec(again.body) ?? []
      const added = await host.visit('kim').submit(again, 'addKey', { key: unescapeHtml(shown) })
      expect(added.status).toBe(200)
      expect(await host.gatehouse.apiKeys.listKeys(clientId)).toHaveLength(1)
    }
  })

  it('what does not hurt needs no sign-in', async () => {
    const clientId = await keyOf('eve')
    const visitor = host.visit('eve')
    const page = await visitor.open(`/console/api-keys/${clientId}`)
    expect(textOf((await visitor.submit(page, 'save', { name: 'Other' })).body)).toContain('Other')
    expect((await visitor.submit(page, 'disable')).status).toBe(200)
    const { application } = await host.gatehouse.applications.create({ accountId: 'eve', name: 'App' })
    const own = `/console/applications/${application.clientId}`
    expect((await visitor.open(`${own}/hand-over`)).status).toBe(200)
    expect((await visitor.open(`${own}/report-compromised`)).status).toBe(200)
    expect(asked).toEqual([])
  })

  it('the host is asked only for a caller who may do the act, and for a form of our own page', async () => {
    const clientId = await keyOf('hal')
    const foreign = `/console/api-keys/${clientId}/secrets?confirm=rotateSecret`
    await keyOf('reader')
    const [own] = await keysOf('reader')
    const rejected = [
      ['gil', foreign, 404],
      ['gil', '/console/operator/accounts/dave/revoke', 403],
      ['reader', `/console/api-keys/${own?.clientId}/secrets?confirm=rotateSecret`, 403],
      ['reader', '/console/api-keys/new', 403],
      ['root', '/console/operator/client-documents?confirm=block&host=', 404],
    ] as const
    for (const [person, path, status] of rejected) {
      expect([path, (await host.visit(person).get(path)).status]).toEqual([path, status])
    }
    const visitor = host.visit('hal')
    const page = await openAct({ person: 'hal', permission: 'keys:rotate', path: foreign })
    const crossSite = { 'sec-fetch-site': 'cross-site' }
    expect((await visitor.submit(page, 'rotateSecret', {}, crossSite)).status).toBe(403)
    expect((await visitor.submit(page, 'rotateSecret', { csrf: 'x' })).status).toBe(403)
    expect(asked).toEqual([])
  })

  it('the address to return to has the origin of the issuer, whatever the request says', async () => {
    const visitor = host.visit('lea')
    const clientId = await keyOf('lea')
    const path = `/console/api-keys/${clientId}/secrets?confirm=rotateSecret&next=//evil.example`
    await visitor.get(path, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
    await openAct({ person: 'lea', permission: 'keys:rotate', path }).then((page) =>
      visitor.submit(page, 'rotateSecret', {}, { 'x-forwarded-host': 'evil.example' }),
    )
    expect(lastReturnTo().href).toBe(`${host.origin}/console/api-keys/${clientId}/secrets?other-tab=`)
  })

  it('a proof holds for 5 minutes by the time that the host returns', async () => {
    const clientId = await keyOf('max')
    const path = `/console/api-keys/${clientId}/secrets?confirm=rotateSecret`
    const form = await openAct({ person: 'max', permission: 'keys:rotate', path })
    const at = now()
    for (const [confirmedAt, get, post] of [
      [undefined, 303, 403],
      [at, 200, 200],
      [at - 298, 200, 200],
      [at - 303, 303, 403],
      [at + 2, 200, 200],
      [at + 3600, 303, 403],
      [0, 303, 403],
    ] as const) {
      answer = () => ({ confirmedAt, url: '/prove' })
      const visitor = host.visit('max')
      const statuses = [(await visitor.get(path)).status, (await visitor.submit(form, 'rotateSecret')).status]
      expect([confirmedAt, ...statuses]).toEqual([confirmedAt, get, post])
    }
  })

  it('a host whose answer is true only once for a proof asks twice: for the page, and for its form', async () => {
    const clientId = await keyOf('nat')
    const path = `/console/api-keys/${clientId}/secrets?confirm=rotateSecret`
    const visitor = host.visit('nat')
    let isProven = false
    answer = () => {
      const result = isProven || '/prove'
      isProven = false
      return result
    }
    expect((await visitor.get(path)).status).toBe(303)
    isProven = true
    const form = await visitor.open(path)
    const again = await visitor.submit(form, 'rotateSecret')
    expect(again.status).toBe(403)
    isProven = true
    await visitor.open(pathOf(lastReturnTo()))
    expect(credentialsOf(await visitor.submit(again, 'rotateSecret')).client_id).toBe(clientId)
  })

  it('an answer of the host that is neither true nor an address is an error, and nothing is done', async () => {
    const clientId = await keyOf('oz')
    const visitor = host.visit('oz')
    const path = `/console/api-keys/${clientId}/secrets?confirm=rotateSecret`
    const form = await openAct({ person: 'oz', permission: 'keys:rotate', path })
    const wrong = [false, undefined, null, 7, '', 'javascript:alert(1)', {}, { confirmedAt: 'x', url: '/' }]
    const fails = () => {
      throw new Error('the database is down')
    }
    for (const each of [...wrong.map((value) => () => value as never), fails]) {
      answer = each
      const statuses = [(await visitor.get(path)).status, (await visitor.submit(form, 'rotateSecret')).status]
      expect(statuses).toEqual([500, 500])
    }
    expect(await secretsOf(clientId)).toHaveLength(1)
  })
})

/** The value of a field of a page: of a text, a text area, or the box or choice that is ticked. */
function typedIn({ body }: Page, name: string): string | undefined {
  const area = new RegExp(`<textarea[^>]*name="${name}"[^>]*>\\n?([^<]*)</textarea>`).exec(body)
  const inputs = (body.match(/<input\b[^>]*>/g) ?? []).filter((each) => each.includes(`name="${name}"`))
  const chosen = inputs.find((each) => !/type="(checkbox|radio)"/.test(each) || /\schecked\b/.test(each))
  return unescapeHtml(area?.[1] ?? /\svalue="([^"]*)"/.exec(chosen ?? '')?.[1] ?? '')
}

/** A store that notes the names of the calls that write. */
function watched(store: Store, writes: string[]): Store {
  const watching = new Proxy(store, {
    get(target, name: keyof Store) {
      const value = target[name]
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (/^(set|create|replace|delete|add|remove|count|publish)$/.test(name))
          writes.push(`${name} ${String(args[0])}`)
        return Reflect.apply(value, target, args)
      }
    },
  })
  return Object.assign(watching, { durable: undefined })
}

import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { createLastUses } from '../../../src/clients/last-used.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { daysAgo } from '../../support/days-ago.ts'
import { formsOf, type Page } from '../../support/browser.ts'
import { describeEachStore } from '../../support/stores.ts'
import { credentialsOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400

/** The forms about one finding, as the only forms of the page. */
function only(page: Page, finding: string): Page {
  const forms = page.body.match(/<form\b[^]*?<\/form>/g) ?? []
  const own = forms.filter((each) => each.includes(`value="${finding}"`))
  expect(own.length, page.body).toBeGreaterThan(0)
  return { ...page, body: own[0]! }
}

/** The rows of a page: what was found, by the name of the client. */
function rowsOf({ body }: Page): Record<string, string[]> {
  const rows = (body.match(/<tr>[^]*?<\/tr>/g) ?? []).slice(1)
  const found: Record<string, string[]> = {}
  for (const row of rows) {
    const [, name = ''] = /<bdi>([^<]*)/.exec(row) ?? []
    const [, sentence = ''] = /data-label="What was found">([^]*?)<\/td>/.exec(row) ?? []
    ;(found[name] ??= []).push(textOf(sentence.replaceAll(/<\/?bdi>/g, '')))
  }
  return found
}

describeEachStore('the page of what needs attention', (makeStore) => {
  let store: Store
  let host: ConsoleHost
  let strict: ConsoleHost
  let use: (clientId: string) => Promise<void>
  const users = new Set(['anna'])
  beforeAll(async () => {
    store = makeStore()
    const find = (id: string, userId?: string) =>
      userId === undefined || users.has(userId) ? { id, kycLevel: 'verified' } : undefined
    host = await startConsole({ store, accounts: { find } })
    strict = await startConsole({
      store: makeStore(),
      gatehouse: { keyPolicy: { maxAgeDays: 60 } },
      accounts: { find, can: (ctx, permission) => !ctx.get('denied').split(' ').includes(permission) },
    })
    const uses = createLastUses({ store, logger: silentLogger })
    use = async (clientId) => {
      uses.record(clientId)
      await vi.waitFor(async () => expect(await uses.get([clientId])).not.toEqual([undefined]))
    }
  })
  afterAll(() => Promise.all([host.close(), strict.close()]))

  /** Gives an account one client with each finding. */
  async function fill(accountId: string) {
    const { apiKeys, applications } = host.gatehouse
    const year = inDays(365)
    const make = async (days: number, name: string, input: object = {}) =>
      daysAgo(days, async () => {
        const { apiKey } = await apiKeys.create({ accountId, name, expiresAt: year, ...input })
        await use(apiKey.clientId)
        return apiKey.clientId
      })
    await make(120, 'Unused')
    const endless = await make(30, 'Endless', { expiresAt: null })
    const ending = await make(30, 'Ending', { expiresAt: inDays(10) })
    const two = await make(30, 'Two')
    await daysAgo(10, () => apiKeys.rotateSecret(two, { overlapSeconds: 30 * 86_400 }))
    const known = await make(20, 'Known', { createdBy: 'nora' })
    await daysAgo(20, () => applications.create({ accountId, name: 'Forgotten', expiresAt: year }))
    return { endless, ending, two, known }
  }

  it.each(['acme', 'root'])(
    '%s: every finding is listed with its button, and the buttons empty the page',
    async (person) => {
      const { endless, ending, two, known } = await fill(person)
      const visitor = host.visit(person)
      const path = person === 'root' ? '/console/operator/hygiene' : '/console/hygiene'
      let page = await visitor.open(path)
      expect(rowsOf(page)).toEqual({
        Unused: ['It was last used 4 months ago.'],
        Endless: ['It never expires.'],
        Ending: [expect.stringMatching(/^It expires in (9|10) days\.$/)],
        Two: ['Two secrets have been valid since the rotation 10 days ago. The old one is not used.'],
        Known: ['People who have left know its secret: nora.'],
        Forgotten: ['It was created 20 days ago, and never used.'],
      })
      for (const finding of ['unused', 'never-used', 'never-expires', 'expires-soon']) {
        page = await visitor.submit(only(page, finding), 'fix')
        expect(page.status).toBe(200)
        expect(textOf(page.body)).toMatch(/It is disabled|The expiry is saved/)
      }
      const { clientId, disabled } = (await host.gatehouse.apiKeys.listByOwner(person, { name: 'Unused' }))
        .items[0]!
      expect(disabled).toBe(true)
      // The owner may enable again what an operator has disabled here.
      await host.gatehouse.apiKeys.enable(clientId)
      await host.gatehouse.apiKeys.disable(clientId)
      for (const id of [endless, ending]) {
        expect((await host.gatehouse.apiKeys.find(id))?.expiresAt).toBeCloseTo(inDays(365), -2)
      }
      page = await visitor.submit(page, 'revokeOldSecret')
      expect(textOf(page.body)).toContain('The old secret is revoked.')
      expect(await host.gatehouse.apiKeys.listSecrets(two)).toHaveLength(1)
      if (person === 'root') {
        // Only the owner sees a new secret.
        expect(formsOf(page)).toEqual([])
        expect(page.body).toContain(`/console/operator/clients/${known}`)
        await host.gatehouse.apiKeys.disable(known)
      } else {
        const shown = await visitor.submit(only(page, 'known-to-former'), 'fix')
        expect(credentialsOf(shown).client_id).toBe(known)
        expect(await host.gatehouse.apiKeys.listSecrets(known)).toHaveLength(2)
      }
      page = await visitor.open(path)
      expect(textOf(page.body)).toContain('Nothing needs attention.')
      expect(page.body).not.toContain('<table')
    },
  )

  it('a form that is sent twice changes nothing the second time, and shows the same secret', async () => {
    const { known, ending } = await fill('bob')
    const visitor = host.visit('bob')
    const page = await visitor.open('/console/hygiene')
    const rotation = only(page, 'known-to-former')
    const first = credentialsOf(await visitor.submit(rotation, 'fix'))
    expect(credentialsOf(await visitor.submit(rotation, 'fix'))).toEqual(first)
    expect(await host.gatehouse.apiKeys.listSecrets(known)).toHaveLength(2)
    const renewal = only(page, 'expires-soon')
    await visitor.submit(renewal, 'fix')
    const before = await host.gatehouse.apiKeys.find(ending)
    const again = await visitor.submit(renewal, 'fix')
    expect([again.status, textOf(again.body).includes('The expiry is saved')]).toEqual([200, false])
    expect(await host.gatehouse.apiKeys.find(ending)).toEqual(before)
  })

  it('a program that used the client meanwhile keeps it', async () => {
    const { gatehouse } = host
    const created = await daysAgo(100, () => gatehouse.apiKeys.create({ accountId: 'carol', name: 'Late' }))
    const visitor = host.visit('carol')
    const page = await visitor.open('/console/hygiene')
    await use(created.apiKey.clientId)
    expect((await visitor.submit(only(page, 'never-used'), 'fix')).status).toBe(200)
    expect((await gatehouse.apiKeys.find(created.apiKey.clientId))?.disabled).toBe(false)
  })

  it('another account, an unknown client and an unknown finding change nothing', async () => {
    const { gatehouse } = host
    const { apiKey } = await daysAgo(100, () => gatehouse.apiKeys.create({ accountId: 'dave', name: 'Mine' }))
    await daysAgo(100, () => gatehouse.apiKeys.create({ accountId: 'eve', name: 'Hers' }))
    const eve = host.visit('eve')
    const page = only(await eve.open('/console/hygiene'), 'never-used')
    const { clientId } = apiKey
    for (const [change, status] of [
      [{ clientId }, 404],
      [{ clientId, finding: 'known-to-former', fix: 'rotate', request: crypto.randomUUID() }, 404],
      [{ clientId: 'key_unknown' }, 404],
      [{ clientId: '' }, 404],
      [{ clientId: '\u0000' }, 404],
      [{ finding: 'two-secrets', fix: 'revoke-old' }, 400],
      [{ fix: 'toString' }, 400],
      [{ fix: '' }, 400],
      [{ finding: 'toString' }, 400],
      [{ finding: '' }, 400],
    ] as const) {
      expect((await eve.submit(page, 'fix', change)).status, JSON.stringify(change)).toBe(status)
    }
    expect(await gatehouse.apiKeys.find(clientId)).toEqual(apiKey)
    expect(await gatehouse.apiKeys.listSecrets(clientId)).toHaveLength(1)
    expect((await eve.open('/console/operator/hygiene')).status).toBe(403)
  })

  it('with a policy, a client that breaks it and an old secret are listed, with the days of the policy', async () => {
    const { gatehouse } = strict
    const { apiKey } = await daysAgo(70, () =>
      gatehouse.apiKeys.create({ accountId: 'acme', name: 'Ancient', expiresAt: inDays(60) }),
    )
    await gatehouse.apiKeys.update(apiKey.clientId, { expiresAt: inDays(60) })
    await daysAgo(-100, () => gatehouse.apiKeys.create({ accountId: 'acme', name: 'Long' }))
    const visitor = strict.visit('acme')
    const page = await visitor.open('/console/hygiene')
    expect(rowsOf(page)).toEqual({
      Ancient: [
        'Its secret was created 2 months ago. This service wants a new one after 60 days.',
        'It was created 2 months ago, and never used.',
      ],
      Long: ['It lives longer than this service allows now.'],
    })
    expect(textOf(page.body)).toContain('Let it expire in 60 days')
    const fixed = await visitor.submit(only(page, 'breaks-policy'), 'fix')
    expect(Object.keys(rowsOf(fixed))).toEqual(['Ancient'])
    const shown = await visitor.submit(only(fixed, 'old-secret'), 'fix')
    expect(credentialsOf(shown).client_id).toBe(apiKey.clientId)
  })

  it('a reader who may not change anything sees no buttons, and one who may read nothing gets 403', async () => {
    await daysAgo(70, () =>
      strict.gatehouse.apiKeys.create({ accountId: 'fay', name: 'Key', expiresAt: inDays(60) }),
    )
    await daysAgo(70, () =>
      strict.gatehouse.applications.create({ accountId: 'fay', name: 'App', expiresAt: inDays(60) }),
    )
    for (const service of ['apiKeys', 'applications'] as const) {
      const { items } = await strict.gatehouse[service].listByOwner('fay')
      await strict.gatehouse[service].update(items[0]!.clientId, { expiresAt: inDays(50) })
    }
    const visitor = strict.visit('fay')
    const open = async (denied: string) => visitor.get('/console/hygiene', { denied })
    const page = await visitor.open('/console/hygiene')
    const reader = await open('keys:write keys:rotate applications:write applications:rotate')
    expect(Object.keys(rowsOf(reader))).toEqual(['Key', 'App'])
    expect(formsOf(reader)).toEqual([])
    expect(Object.keys(rowsOf(await open('keys:read')))).toEqual(['App'])
    expect(Object.keys(rowsOf(await open('applications:read')))).toEqual(['Key'])
    expect((await open('keys:read applications:read')).status).toBe(403)
    const denied = await visitor.submit(only(page, 'never-used'), 'fix', {}, { denied: 'keys:write' })
    expect(denied.status).toBe(403)
    const secret = await visitor.submit(only(page, 'old-secret'), 'fix', {}, { denied: 'keys:rotate' })
    expect(secret.status).toBe(403)
  })

  it('a person who left knows the old of two secrets: it is revoked first', async () => {
    const { apiKeys } = host.gatehouse
    const { apiKey } = await apiKeys.create({
      accountId: 'lea',
      name: 'Rotated',
      createdBy: 'nora',
      expiresAt: inDays(365),
    })
    await apiKeys.rotateSecret(apiKey.clientId, { overlapSeconds: 30 * 86_400, shownTo: 'anna' })
    const visitor = host.visit('lea')
    const page = await visitor.open('/console/hygiene')
    expect(rowsOf(page)).toEqual({ Rotated: ['People who have left know its secret: nora.'] })
    const done = await visitor.submit(page, 'revokeOldSecret')
    expect(textOf(done.body)).toMatch(/The old secret is revoked\.[^]*Nothing needs attention/)
    expect(await apiKeys.listSecrets(apiKey.clientId)).toMatchObject([{ shownTo: 'anna' }])
  })

  it('operators find the products that no client has, when they ask for them', async () => {
    await host.gatehouse.apiKeys.create({ accountId: 'gil', name: 'Key', products: ['invoices'] })
    const root = host.visit('root')
    expect(textOf((await root.open('/console/operator/hygiene')).body)).toContain(
      'Products that nothing uses Find them',
    )
    const page = await root.open('/console/operator/hygiene?products=show')
    expect(textOf(page.body)).toMatch(
      /Products that nothing uses[^]*payments[^]*No API key and no application has them/,
    )
  })

  it('a list of many clients has pages', async () => {
    for (let at = 0; at < 30; at += 1) {
      await host.gatehouse.apiKeys.create({ accountId: 'many', name: `Key ${at}` })
    }
    const visitor = host.visit('many')
    const first = await visitor.open('/console/hygiene')
    expect(Object.keys(rowsOf(first))).toHaveLength(15)
    const [, next = ''] = /href="([^"]*cursor=[^"]*)"/.exec(first.body) ?? []
    const second = await visitor.open(next.replaceAll('&amp;', '&'))
    expect(Object.keys(rowsOf(second))).toHaveLength(15)
    // A fix leads back to the same page.
    const fixed = await visitor.submit(second, 'fix')
    expect(textOf(fixed.body)).toContain('The expiry is saved')
    expect(Object.keys(rowsOf(fixed))).toEqual(Object.keys(rowsOf(second)).slice(1))
    expect((await visitor.open('/console/hygiene?cursor=x')).status).toBe(404)
  })

  it('the overview leads to it, if the account has an API key or an application', async () => {
    expect((await host.visit('many').open('/console')).body).toContain('href="/console/hygiene"')
    expect((await host.visit('empty').open('/console')).body).not.toContain('/console/hygiene')
  })
})

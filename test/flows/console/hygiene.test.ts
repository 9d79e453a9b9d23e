import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { createLastUses } from '../../../src/clients/last-used.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { daysAgo } from '../../support/days-ago.ts'
import { formsOf, type Page } from '../../support/browser.ts'
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

describe('the page of what needs attention', () => {
  let store: Store
  let host: ConsoleHost
  let strict: ConsoleHost
  let use: (clientId: string) => Promise<void>
  const users = new Set(['anna'])
  beforeAll(async () => {
    store = memoryStore()
    const find = (id: string, userId?: string) =>
      userId === undefined || users.has(userId) ? { id, kycLevel: 'verified' } : undefined
    host = await startConsole({ store, accounts: { find } })
    strict = await startConsole({
      store: memoryStore(),
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
    const ownerless = await make(30, 'Ownerless', { userId: 'max', createdBy: 'anna' })
    const ending = await make(30, 'Ending', { expiresAt: inDays(10) })
    const two = await make(30, 'Two')
    await daysAgo(10, () => apiKeys.rotateSecret(two, { overlapSeconds: 30 * 86_400 }))
    const known = await make(20, 'Known', { createdBy: 'nora' })
    await daysAgo(20, () => applications.create({ accountId, name: 'Forgotten', expiresAt: year }))
    return { ownerless, ending, two, known }
  }

  it.each(['acme', 'root'])(
    '%s: every finding is listed with its button, and the buttons empty the page',
    async (person) => {
      const { ownerless, ending, two, known } = await fill(person)
      const visitor = host.visit(person)
      const path = person === 'root' ? '/console/operator/hygiene' : '/console/hygiene'
      let page = await visitor.open(path)
      expect(Object.entries(rowsOf(page))).toEqual([
        ['Known', ['People who have left know its secret: nora.']],
        ['Ownerless', [expect.stringContaining('It gets no tokens, because the person or account')]],
        ['Ending', [expect.stringMatching(/^It expires in (9|10) days\.$/)]],
        ['Two', ['Two secrets have been valid since the rotation 10 days ago. The old one is not used.']],
        ['Unused', ['It was last used 4 months ago.']],
        ['Forgotten', ['It was created 20 days ago, and never used.']],
      ])
      const overview = await visitor.open('/console')
      expect(textOf(overview.body)).toContain('6 clients need attention')
      // Only the owner hands it over. The button of an operator disables it.
      if (person === 'root') page = await visitor.submit(only(page, 'owner-gone'), 'fix')
      else {
        const handOver = `/console/api-keys/${ownerless}/hand-over`
        expect(page.body).toContain(`href="${handOver}"`)
        await visitor.submit(await visitor.open(handOver), 'handOver', { userId: 'anna' })
        await host.gatehouse.apiKeys.disable(ownerless)
      }
      for (const finding of ['unused', 'never-used', 'expires-soon']) {
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
      expect((await host.gatehouse.apiKeys.find(ending))?.expiresAt).toBeCloseTo(inDays(365), -2)
      page = await visitor.submit(page, 'fix', { fix: 'revoke-old' })
      expect(textOf(page.body)).toContain('The old secret is revoked.')
      expect(await host.gatehouse.apiKeys.listSecrets(two)).toHaveLength(1)
      if (person === 'root') {
        // Only the owner sees a new secret.
        expect(formsOf(page)).toEqual([])
        expect(page.body).toContain(`/console/operator/clients/${known}`)
        await host.gatehouse.apiKeys.disable(known)
      } else {
        const rotation = await visitor.open(`/console/api-keys/${known}?confirm=rotateSecret`)
        expect(page.body).toContain(`href="${rotation.url.pathname}${rotation.url.search}"`)
        const shown = credentialsOf(await visitor.submit(rotation, 'rotateSecret'))
        expect(shown.client_id).toBe(known)
        // The same form changes nothing the second time, and shows the same secret.
        expect(credentialsOf(await visitor.submit(rotation, 'rotateSecret'))).toEqual(shown)
        expect(await host.gatehouse.apiKeys.listSecrets(known)).toHaveLength(2)
      }
      page = await visitor.open(path)
      expect(textOf(page.body)).toContain('Nothing needs attention.')
      expect(page.body).not.toContain('<table')
      const calm = await visitor.open('/console')
      expect(textOf(calm.body)).not.toContain('Nothing needs attention.')
      expect(calm.body).not.toContain('href="/console/hygiene"')
    },
  )

  it('a program that used the client meanwhile keeps it', async () => {
    const { gatehouse } = host
    const created = await daysAgo(100, () => gatehouse.apiKeys.create({ accountId: 'carol', name: 'Late' }))
    const visitor = host.visit('carol')
    const page = await visitor.open('/console/hygiene')
    await use(created.apiKey.clientId)
    expect((await visitor.submit(only(page, 'never-used'), 'fix')).status).toBe(200)
    expect((await gatehouse.apiKeys.find(created.apiKey.clientId))?.disabled).toBe(false)
  })

  it('another account, an unknown client, an unknown finding and a missing permission change nothing', async () => {
    const { gatehouse } = strict
    const create = (accountId: string) =>
      daysAgo(100, () => gatehouse.apiKeys.create({ accountId, name: 'Key', expiresAt: inDays(60) }))
    const { apiKey } = await create('dave')
    const { apiKey: own } = await create('eve')
    const later = { expiresAt: inDays(50) }
    for (const { clientId } of [apiKey, own]) await gatehouse.apiKeys.update(clientId, later)
    const eve = strict.visit('eve')
    const whole = await eve.open('/console/hygiene')
    const page = only(whole, 'never-used')
    expect(whole.body).toContain(`href="/console/api-keys/${own.clientId}/secrets?confirm=rotateSecret"`)
    const { clientId } = apiKey
    for (const [change, status] of [
      [{ clientId }, 404],
      [{ clientId, finding: 'known-to-former', fix: 'rotate', request: crypto.randomUUID() }, 400],
      [{ clientId: 'key_unknown' }, 404],
      [{ clientId: '\u0000' }, 404],
      [{ finding: 'two-secrets', fix: 'revoke-old' }, 200],
      [{ fix: 'toString' }, 400],
      [{ finding: 'toString' }, 200],
      [{ finding: '' }, 200],
    ] as const) {
      expect((await eve.submit(page, 'fix', change)).status, JSON.stringify(change)).toBe(status)
    }
    expect((await eve.submit(page, 'fix', {}, { denied: 'keys:write' })).status).toBe(403)
    for (const id of [clientId, own.clientId]) {
      expect(await gatehouse.apiKeys.find(id)).toMatchObject({ disabled: false, ...later })
      expect(await gatehouse.apiKeys.listSecrets(id)).toHaveLength(1)
    }
    const reader = await eve.get('/console/hygiene', { denied: 'keys:write keys:rotate' })
    expect([Object.keys(rowsOf(reader)), formsOf(reader)]).toEqual([['Key'], []])
    expect(reader.body).not.toContain('confirm=')
    // The question of a fix is only for those who may do it.
    const question = (id: string) => `/console/hygiene?confirm=fix&fix=disable&clientId=${id}`
    expect((await eve.get(question(own.clientId), { denied: 'keys:write' })).status).toBe(403)
    expect((await eve.open(question(clientId))).status).toBe(404)
    // An operator sees no secret, and people who are no operators have no page for all accounts.
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
    expect(textOf(page.body)).toMatch(/Its secret and its tokens stay valid\.\s+Let it expire in 60 days/)
    const fixed = await visitor.submit(only(page, 'breaks-policy'), 'fix')
    expect(Object.keys(rowsOf(fixed))).toEqual(['Ancient'])
    const shown = await visitor.submit(fixed, 'rotateSecret')
    expect(credentialsOf(shown).client_id).toBe(apiKey.clientId)
  })

  it('a button that ends tokens asks first if the key is in use today, and says so', async () => {
    // Tokens live 10 days, so they could outlive a key that expires in 5 days.
    const brief = await startConsole({ store: memoryStore(), gatehouse: { keyPolicy: { maxAgeDays: 5 } } })
    const { gatehouse } = brief
    const create = async (name: string) => {
      const input = { accountId: 'acme', name, products: ['invoices'] }
      const created = await daysAgo(-100, () => gatehouse.apiKeys.create(input))
      return { client_id: created.apiKey.clientId, client_secret: created.clientSecret }
    }
    const busy = await create('Busy')
    const idle = await create('Idle')
    expect((await brief.requestDirectToken(busy)).status).toBe(200)
    const visitor = brief.visit('acme')
    const page = await visitor.open('/console/hygiene')
    const buttons = formsOf(page).map(({ fields }) => Object.fromEntries(fields)['clientId'])
    expect(buttons).toEqual([idle.client_id])
    const [link = ''] = /[^"]*confirm=fix[^"]*/.exec(page.body) ?? []
    const question = await visitor.open(link.replaceAll('&amp;', '&'))
    expect(textOf(question.body)).toMatch(
      /Let it expire in 5 days Name Busy Last token within the last hour In use API calls today \(UTC\) 0 What happens Its present tokens stop/,
    )
    const fixed = await visitor.submit(question, 'fix')
    expect(textOf(fixed.body)).toContain('The expiry is saved')
    expect((await gatehouse.apiKeys.find(busy.client_id))?.expiresAt).toBeCloseTo(inDays(5), -2)
    await brief.close()
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
    const done = await visitor.submit(page, 'fix')
    expect(textOf(done.body)).toMatch(/The old secret is revoked\.[^]*Nothing needs attention/)
    expect(await apiKeys.listSecrets(apiKey.clientId)).toMatchObject([{ shownTo: 'anna' }])
  })

  it('a key whose secret leaked is listed until it has a new secret', async () => {
    const { apiKeys } = host.gatehouse
    const [key, gateway] = await Promise.all(
      ['Leaked', 'Gateway'].map((name) => apiKeys.create({ accountId: 'kim', name })),
    )
    await apiKeys.setResourceServer(gateway!.apiKey.clientId, true)
    for (const { apiKey } of [key!, gateway!]) await apiKeys.reportCompromised(apiKey.clientId)
    const visitor = host.visit('kim')
    const page = await visitor.open('/console/hygiene')
    expect(rowsOf(page)).toEqual({
      Leaked: [expect.stringContaining('A leak was reported, so no secret is valid.')],
      Gateway: [expect.stringContaining('Its gateway receives no revocations')],
    })
    expect(textOf(page.body)).not.toContain('You choose when the present secret stops working')
    // An owner without a role cannot create a secret of a gateway.
    await apiKeys.delete(gateway!.apiKey.clientId)
    await visitor.submit(page, 'rotateSecret')
    expect(textOf((await visitor.open('/console/hygiene')).body)).toContain('Nothing needs attention.')
  })

  it('a list of many clients has pages, and the overview leads to it', async () => {
    for (let at = 0; at < 30; at += 1) {
      await host.gatehouse.apiKeys.create({ accountId: 'many', name: `Key ${at}`, expiresAt: inDays(20) })
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
    expect((await visitor.open('/console')).body).toMatch(
      /href="\/console\/hygiene">29 clients need attention/,
    )
    expect((await host.visit('empty').open('/console')).body).not.toContain('/console/hygiene')
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
})

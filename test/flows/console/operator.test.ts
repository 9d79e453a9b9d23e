import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoreCheck } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect } from '../../support/host.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const textOf = (body: string) =>
  body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;”?])/g, '$1')

describe('the pages of operators', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  const tokenOf = async (client: { client_id: string; client_secret: string }) => {
    const { body } = await host.post('/oauth2/token', { ...client, grant_type: 'client_credentials' })
    return String(body['access_token'])
  }
  const call = async (token: string) =>
    (await fetch(`${host.audience}/invoices/list`, { headers: { authorization: `Bearer ${token}` } })).status
  const operator = () => host.visit('root')

  it('each page of operators has one navigation, which marks the present page and leads back to the own account', async () => {
    const { client_id: id } = await host.createApiKey()
    for (const [path, current] of [
      ['/console/operator', 'Start'],
      ['/console/operator/audit', 'Audit trail'],
      [`/console/operator/clients/${id}`, 'Start'],
      ['/console/operator/accounts/acme', 'Start'],
      ['/console', 'Overview'],
    ] as const) {
      const { body } = await operator().get(path)
      expect(body.match(/<nav class="nav"/g)).toHaveLength(1)
      const navigation = /<nav class="nav".*?<\/nav>/s.exec(body)?.[0]
      const marked = navigation?.match(/aria-current="page"[^<]*/g)
      expect([path, marked]).toEqual([path, [expect.stringMatching(new RegExp(`>\\s*${current}$`))]])
      expect(textOf(body)).toContain(`Menu: ${current}`)
      expect(body.includes('href="/console/operator/audit"')).toBe(path !== '/console')
      expect(body).toContain(path === '/console' ? 'href="/console/operator"' : 'href="/console"')
    }
  })

  it('the start page has the numbers of the service, the checks that do not pass, and the newest clients', async () => {
    const own = await startConsole({ store: memoryStore() })
    const read = async (path = '/console/operator', headers = {}) =>
      (await own.visit('root').get(path, headers)).body
    const key = await own.createApiKey(['invoices'])
    await own.callAs(key, 'GET /invoices/list', 'GET /payments/list')
    await own.requestDirectToken({ ...key, client_secret: 'wrong' })
    await own.requestDirectToken({ ...key, client_secret: 'wrong' })
    await own.gatehouse.apiKeys.reportCompromised(key.client_id)
    await own.callAs(await own.createApiKey(['payments']))
    const text = textOf(await read())
    expect(text).toMatch(/API calls today \(UTC\) [02] API calls in 24 hours 2 Token requests in 24 hours 4/)
    expect(await read()).toContain('href="/console/api-keys/new-gateway">Create gateway key<')
    expect(text).toContain('Failed attempts in 24 hours 2 Leak reports in 7 days 1 ')
    expect(await read()).toContain('href="/console/operator/audit?trail=failures"')
    expect((await read()).match(/<dt><a href="\/console\/operator\/usage\?days=1">/g)).toHaveLength(3)
    expect(text).toMatch(
      /Newest API keys and applications .*Nightly export.*Active.*Nightly export.*Secret leaked/,
    )
    const { checks } = await own.gatehouse.health()
    const open = checks.filter(({ status }) => status !== 'pass').map(({ name }) => name)
    expect(open.length).toBeGreaterThan(0)
    const shown = [...(await read()).matchAll(/<code class="whole">([^<]*)</g)].map(([, name]) => name)
    expect(new Set(shown)).toEqual(new Set(open))
    expect(textOf(await read(undefined, { 'accept-language': 'de' }))).toContain(
      'Gemeldete Lecks in 7 Tagen 1 ',
    )
    // Of a trail that is longer, only the newest entries are counted.
    const create = (name: string) => own.gatehouse.apiKeys.create({ accountId: 'alice', name })
    await Promise.all(Array.from({ length: 50 }, (_, at) => create(`Key ${at}`)))
    expect(textOf(await read())).toContain('Leak reports in 7 days 1 ')
    for (let at = 0; at < 3; at += 1) await Promise.all(Array.from({ length: 50 }, () => create('More')))
    expect(textOf(await read())).toContain('Leak reports in 7 days 0+ ')
    await own.close()
  })

  it('without usage, the start page has no numbers of calls', async () => {
    const own = await startConsole({ store: memoryStore(), console: { usage: undefined } })
    const text = textOf((await own.visit('root').get('/console/operator')).body)
    expect(text).toContain('Leak reports in 7 days 0')
    expect(text).not.toMatch(/API calls|Token requests|Newest/)
    await own.close()
  })

  it('the search opens a client, an account or a user by the exact id', async () => {
    const { client_id: id } = await host.createApiKey()
    const visitor = operator()
    const start = await visitor.open('/console/operator')
    expect(textOf(start.body)).toMatch(/Tokens can be issued and checked\. Warning: \d of \d+ checks/)
    const find = async (value: string) => {
      const page = await visitor.submit(start, 'find', { text: value })
      return { path: page.url.pathname, text: textOf(page.body), status: page.status }
    }
    expect((await find(` ${id} `)).path).toBe(`/console/operator/clients/${id}`)
    expect((await find('alice')).path).toBe('/console/operator/accounts/alice')
    expect((await find('alice/ann')).path).toBe('/console/operator/accounts/alice/users/ann')
    const none = await find('nothing-here')
    expect(none.text).toContain('Nothing was found.')
    expect(none.text).toContain('Open it as an account anyway')
  })

  it('a failed check is never beside OK, and looks worse than a warning, although tokens are issued', async () => {
    const store = memoryStore()
    const check = {
      name: 'persistence',
      status: 'fail',
      message: 'nothing is kept',
      remedy: 'Keep it',
    } as const
    const checks: StoreCheck[] = [check, { ...check, name: 'memory', status: 'warn' }]
    const other = await startConsole({ store: { ...store, inspect: async () => ({ checks }) } })
    try {
      expect((await other.gatehouse.health()).ready).toBe(true)
      for (const path of ['/console/operator', '/console/operator/health']) {
        const { body } = await other.visit('root').open(path)
        const line = /<p class="line">\s*<span class="badge[^]*?<\/p>/.exec(body)?.[0] ?? ''
        expect(line).toContain('<span class="badge bad">Failed</span>')
        expect(textOf(line)).toMatch(/checked\. Failed: 1 of (\d+) checks Warning: 1 of \1 checks/)
        expect(line.match(/badge/g)).toHaveLength(1)
      }
    } finally {
      await other.close()
    }
  })

  it('a German operator reads in German what each check means and what to do, and the exact message in English', async () => {
    const checked = await host.gatehouse.health()
    const { body } = await operator().get('/console/operator/health', { 'accept-language': 'de' })
    for (const { name, message } of checked.checks) {
      const [, row = ''] =
        new RegExp(`<tr>([^]*?)<code class="whole">${name}</code>[^]*?</tr>`).exec(body) ?? []
      expect(textOf(row.split('<tr>').at(-1) ?? ''), name).toMatch(/^ ?[A-ZÄÖÜ][^.:]+ ?$/)
      expect(textOf(body)).toContain(message.split(/[\d`]/, 1)[0])
    }
    expect(textOf(body)).toContain(
      'Daten nach einem Neustart store.persistence Warnung Was zu tun ist: Für Versuche genügt der Arbeitsspeicher. ' +
        'Lassen Sie sonst die Datenbank auf Platte schreiben. Genaue Meldung (englisch)',
    )
  })

  it('a client is disabled, enabled, its tokens revoked, and reported as leaked, and the API follows', async () => {
    const client = await host.createApiKey(['invoices'])
    const path = `/console/operator/clients/${client.client_id}`
    const visitor = operator()
    let page = await visitor.open(path)
    expect(textOf(page.body)).toContain('Nightly export')
    expect(textOf(page.body)).toContain('Account acme')
    expect(page.body).toContain('href="/console/operator/accounts/acme"')

    let token = await tokenOf(client)
    expect(await call(token)).toBe(200)
    page = await visitor.submit(page, 'disable')
    expect(textOf(page.body)).toContain('It is disabled until an operator enables it.')
    expect(await call(token)).toBe(401)
    expect((await host.gatehouse.apiKeys.find(client.client_id))?.disabled).toBe(true)
    page = await visitor.submit(page, 'enable')
    expect(textOf(page.body)).toContain('It is enabled.')

    token = await tokenOf(client)
    page = await visitor.submit(page, 'revokeTokens')
    expect(await call(token)).toBe(401)
    token = await tokenOf(client)
    page = await visitor.submit(page, 'reportCompromised')
    expect(await call(token)).toBe(401)
    expect(await host.gatehouse.apiKeys.listSecrets(client.client_id)).toEqual([])
    expect(page.url.pathname).toBe(`${path}/secrets`)
    expect(textOf((await visitor.open(`${path}/activity`)).body)).toContain(
      'Reported as leaked: secrets and tokens revoked Removes access Root',
    )
  })

  it('a deleted client has its entries and no actions, and an unknown client is not found', async () => {
    const { client_id: id } = await host.createApiKey()
    await host.gatehouse.apiKeys.delete(id)
    const { status, body } = await operator().get(`/console/operator/clients/${id}`)
    expect(status).toBe(200)
    expect(textOf(body)).toContain('was deleted')
    expect(body).not.toContain('<form')
    expect((await operator().get('/console/operator/clients/key_unknown')).status).toBe(404)
  })

  it.each([
    [
      'accounts/kepler-4410/users/nina-8842',
      'user',
      'Erase user nina-8842 of account kepler-4410?',
      2,
      '1 API key ',
    ],
    ['accounts/kepler-4410', 'account', 'Erase account kepler-4410 with all its users?', 0, '5 API keys '],
  ])(
    '%s is erased after a page that says what is deleted and what stays',
    async (holder, kind, question, left, hits) => {
      const { apiKeys } = host.gatehouse
      const owner = { accountId: 'kepler-4410', products: ['invoices'], address: '203.0.113.77' }
      await apiKeys.create({ ...owner, userId: 'nina-8842', name: 'Nina North' })
      await apiKeys.create({ ...owner, createdBy: 'nina-8842', name: 'Of the company' })
      await apiKeys.create({ ...owner, userId: 'bob-5521', name: 'Of Bob' })

      const visitor = operator()
      const path = `/console/operator/${holder}`
      const page = await visitor.open(path)
      expect(page.body).toContain(`href="${path}?confirm=erase"`)
      const asking = await visitor.open(`${path}?confirm=erase`)
      const text = textOf(asking.body)
      expect(asking.body).toMatch(new RegExp(`Pages above[^]*Operator[^]*href="${path}"><bdi>kepler-4410`))
      for (const each of [
        question,
        `What is affected ${hits}`,
        'Deleted: ',
        'Stays: ',
        'Copies outside',
        'This cannot be undone.',
      ])
        expect(text).toContain(each)
      expect((await visitor.submit(asking, 'erase', { csrf: 'wrong' })).status).toBe(403)
      expect((await apiKeys.listByOwner('kepler-4410')).items.length).toBeGreaterThan(2)

      const [erased = ''] = holder.split('/').slice(-1)
      for (const name of ['', erased.toUpperCase()]) {
        const wrong = await visitor.submit(asking, 'erase', { name })
        expect(wrong.status).toBe(422)
        expect(wrong.body).toContain('<a href="#name">Name</a>')
        expect(textOf(wrong.body)).toContain(`type the ${kind} ID: ${erased} Type it exactly as it is shown.`)
      }
      expect((await apiKeys.listByOwner('kepler-4410')).items.length).toBeGreaterThan(2)

      const done = await visitor.submit(asking, 'erase', { name: erased })
      expect(done.url.pathname).toBe('/console/operator')
      expect(textOf(done.body)).toContain('Everything is erased.')
      expect((await apiKeys.listByOwner('kepler-4410')).items).toHaveLength(left)
      const trail = await visitor.open('/console/operator/audit')
      expect(textOf(trail.body)).toContain('A person’s data was erased')
      expect(trail.body).not.toMatch(/nina-8842|Nina North/)
      if (left === 0) expect(trail.body).not.toMatch(/kepler-4410|203\.0\.113\.77/)
      const confirming = await host.visit('acme').get(`${path}?confirm=erase`)
      expect(confirming.status).toBe(403)
    },
  )

  it('before everything of an account is revoked, the page says what it hits, and afterwards what it hit', async () => {
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(key)
    const application = await host.createApplication({ accountId: 'bob' })
    const browser = host.visit('acme').browser
    const delegated = await connect(host, application, { browser })
    expect(await call(delegated.access_token)).toBe(200)

    const visitor = operator()
    const account = await visitor.open('/console/operator/accounts/acme')
    expect(textOf(account.body)).toContain('Verification level verified')
    expect(textOf(account.body)).toContain('Ledger')
    const path = '/console/operator/accounts/acme/revoke'
    expect(account.body).toContain(`href="${path}"`)

    const confirmation = await visitor.open(path)
    const owned = (await host.gatehouse.apiKeys.listByOwner('acme')).items.length
    const text = textOf(confirmation.body)
    expect(textOf(account.body)).toContain('Revoke everything of this account')
    expect(text).toContain('Revoke all tokens and connections of account acme?')
    expect(text).toContain(`${owned} API keys`)
    expect(text).toContain('1 connection')
    expect(text).not.toMatch(/\b0 /)
    expect(text).toContain('API keys and applications can get new tokens with their secrets, unless')
    expect(text).toContain('The sign-in at your own website does not end.')
    expect(await call(token)).toBe(200)

    const foreign = await visitor.submit(confirmation, 'revokeAll', { csrf: 'wrong' })
    expect(foreign.status).toBe(403)
    expect(await call(token)).toBe(200)

    const done = await visitor.submit(confirmation, 'revokeAll')
    expect(textOf(done.body)).toContain('All tokens and connections are revoked')
    expect(textOf(done.body)).toContain('These can get new tokens with their secrets.')
    expect(done.body).toContain(`href="/console/operator/clients/${key.client_id}"`)
    expect(textOf(done.body)).toContain('The sign-in at your own website does not end.')
    expect(await call(await tokenOf(key))).toBe(200)
    expect(textOf(done.body)).toContain(`The tokens of ${owned} API keys and applications are rejected.`)
    expect(textOf(done.body)).toContain('1 connection has ended.')
    expect(await call(token)).toBe(401)
    expect(await call(delegated.access_token)).toBe(401)
    const { items } = await host.gatehouse.audit.list({ accountId: 'acme', limit: 1 })
    expect(items[0]).toMatchObject({ actor: 'root' })
  })

  it('for a user of an account, only what the user owns and has allowed is counted and revoked', async () => {
    const { apiKeys } = host.gatehouse
    const create = (userId?: string) =>
      apiKeys.create({ accountId: 'alice', name: 'x', userId, products: ['invoices'] })
    const [own, others] = await Promise.all([create('ann'), create('ben'), create()])
    const tokens = await Promise.all(
      [own, others].map(({ apiKey, clientSecret }) =>
        tokenOf({ client_id: apiKey.clientId, client_secret: clientSecret }),
      ),
    )
    const visitor = operator()
    const page = await visitor.open('/console/operator/accounts/alice/users/ann/revoke')
    expect(textOf(page.body)).toContain('Revoke all tokens and connections of user ann of account alice?')
    expect(textOf(page.body)).toContain('1 API key')
    await visitor.submit(page, 'revokeAll')
    expect(await Promise.all(tokens.map(call))).toEqual([401, 200])

    const again = await visitor.open('/console/operator/accounts/alice/users/ann/revoke')
    const done = await visitor.submit(again, 'revokeAll', { endSecrets: 'yes' })
    expect(textOf(done.body)).toContain('1 API key or application was reported as leaked.')
    expect(await apiKeys.listSecrets(own.apiKey.clientId)).toEqual([])
    expect(await apiKeys.listSecrets(others.apiKey.clientId)).toHaveLength(1)
    expect(await call(tokens[1] ?? '')).toBe(200)
  })

  it('on request all secrets end too, so no client of the account gets a token', async () => {
    const { apiKeys, applications } = host.gatehouse
    const created = await Promise.all(
      Array.from({ length: 30 }, () =>
        apiKeys.create({ accountId: 'bob', name: 'k', products: ['invoices'] }),
      ),
    )
    const { application } = await applications.create({ accountId: 'bob', name: 'App', redirectUris: [] })
    const { length: owned } = (await applications.listByOwner('bob')).items
    const disabled = created[0]?.apiKey.clientId ?? ''
    await apiKeys.disable(disabled)
    const last = created.at(-1)
    const key = { client_id: last?.apiKey.clientId ?? '', client_secret: last?.clientSecret ?? '' }
    const token = await tokenOf(key)

    const visitor = operator()
    const page = await visitor.open('/console/operator/accounts/bob/revoke')
    expect(textOf(page.body)).toContain('Also end all secrets')
    const kept = await visitor.submit(page, 'revokeAll')
    expect(textOf(kept.body)).toContain('Only the first 25 are shown.')
    expect(kept.body.match(/\/operator\/clients\/key_/g)).toHaveLength(25)
    expect(kept.body).not.toContain(disabled)
    expect(await call(token)).toBe(401)
    const newer = await tokenOf(key)
    expect(await call(newer)).toBe(200)

    const ended = await visitor.submit(page, 'revokeAll', { endSecrets: 'yes' })
    expect(textOf(ended.body)).toContain(
      `${created.length + owned} API keys and applications were reported as leaked.`,
    )
    expect(textOf(ended.body)).toContain('No API key and no application of this owner can get new tokens.')
    expect(await call(newer)).toBe(401)
    const { status } = await host.post('/oauth2/token', { ...key, grant_type: 'client_credentials' })
    expect(status).toBe(401)
    expect(await applications.listSecrets(application.clientId)).toEqual([])
    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id, limit: 1 })
    expect(items[0]).toMatchObject({ name: 'client.compromised', actor: 'root' })
  })

  it('the signing keys are in a table, and can be rotated and revoked', async () => {
    const visitor = operator()
    const token = await tokenOf(await host.createApiKey(['invoices']))
    let page = await visitor.open('/console/operator/signing-keys')
    expect(textOf(page.body)).toContain('The next rotation is on')
    const before = (await host.gatehouse.signingKeys.list()).find(
      ({ alg, state }) => alg === 'ES256' && state === 'current',
    )
    const kid = before?.kid ?? ''
    expect(page.body).toContain(kid)

    page = await visitor.submit(page, 'rotate')
    expect(textOf(page.body)).toContain('The next keys sign now.')
    expect(textOf(page.body)).toContain('Checks older tokens')
    expect(await call(token)).toBe(200)

    const confirmation = await visitor.open(`/console/operator/signing-keys/${kid}/revoke`)
    expect(textOf(confirmation.body)).toContain('All tokens that the key has signed are rejected at once')
    const revoked = await visitor.submit(confirmation, 'revoke')
    expect(textOf(revoked.body)).toContain('The key is revoked')
    expect(await call(token)).toBe(401)
    expect((await visitor.open(`/console/operator/signing-keys/${kid}/revoke`)).status).toBe(404)
  })

  it('the audit trail of all accounts is filtered by account, client, author and failures', async () => {
    const { client_id: id } = await host.createApiKey()
    await host.gatehouse.apiKeys.update(id, { name: 'Renamed key' }, { actor: 'support:ann' })
    await host.post('/oauth2/token', {
      client_id: id,
      client_secret: 'wrong',
      grant_type: 'client_credentials',
    })
    const open = async (query: string) =>
      textOf((await operator().get(`/console/operator/audit?${query}`)).body)
    expect(await open('')).toContain('API key Renamed key · Account acme')
    const byClient = await open(`by=client&value=${id}`)
    expect(byClient).toContain('Changed: name')
    expect(byClient).toMatch(/name: [^→]* → Renamed key/)
    expect(byClient.match(/Renamed key/g)).toHaveLength(3)
    expect(await open('by=actor&value=support%3Aann')).toContain('support:ann')
    expect(await open('by=account&value=bob')).not.toContain('Renamed key')
    expect(await open('by=client&value=unknown')).toContain('There are no entries, or they are older')
    expect(await open(`trail=failures&by=client&value=${id}`)).toContain(
      'Request with a wrong secret rejected',
    )
  })
})

describe('details of the pages of operators', () => {
  it('an account that the host does not know can still be revoked', async () => {
    const host = await startConsole({ store: memoryStore() })
    await host.gatehouse.apiKeys.create({ accountId: 'gone', name: 'Left over' })
    const page = await host.visit('root').open('/console/operator/accounts/gone')
    expect(page.status).toBe(200)
    expect(textOf(page.body)).toContain('The host does not know it')
    expect(textOf(page.body)).toContain('Left over')
    const asking = await host.visit('root').open('/console/operator/accounts/gone?confirm=erase')
    expect(textOf(asking.body)).toContain('What is affected 1 API key ')
    const nothing = await host.visit('root').open('/console/operator/accounts/acme?confirm=erase')
    expect(textOf(nothing.body)).toContain('Name Acme Ltd What is affected none ')
    await host.close()
  })
})

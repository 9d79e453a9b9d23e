// Also runs on: Redis
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Gatehouse } from 'koa-gatehouse'
import { CALLBACK, SECRET } from '../../support/host.ts'
import { importKeys } from '../../support/import-keys.ts'
import { describeEachStore } from '../../support/stores.ts'
import { textOf } from '../console/markup.ts'
import { startConsole } from '../console/setup.ts'
import { startManagement, type ManagementHost } from '../management/setup.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'

const MAX = 5

describeEachStore('the maximum number of clients of an account', (makeStore) => {
  let hosts: ManagementHost[] = []
  let data: string
  beforeEach(async () => {
    data = `max clients ${Math.random()}`
    hosts = await Promise.all(
      [0, 1].map(() => startManagement({ store: makeStore(data), gatehouse: { maxClientsPerAccount: MAX } })),
    )
  })
  afterEach(() => Promise.all(hosts.map((host) => host.close())))

  const gatehouse = (): Gatehouse => hosts[0]!.gatehouse
  const post = (path: string, headers = {}, at = 0) =>
    hosts[at]!.api('acme').call(`POST ${path}`, { name: 'One more', products: ['invoices'] }, headers)
  async function clientsOf(accountId: string) {
    const { apiKeys, applications } = gatehouse()
    const lists = await Promise.all([apiKeys.listByOwner(accountId), applications.listByOwner(accountId)])
    return lists.flatMap(({ items }) => items.map(({ clientId }) => clientId))
  }
  async function fill(count = MAX) {
    for (let at = 0; at < count; at += 1) {
      const { status } = await post(at % 2 === 0 ? '/api-keys' : '/applications')
      expect(status).toBe(201)
    }
  }

  it('the management API answers 422 to a creation above the maximum, and stores nothing', async () => {
    await fill()
    for (const path of ['/api-keys', '/applications']) {
      const answer = await post(path)
      expect(answer.status).toBe(422)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(answer.body).toMatchObject({
        status: 422,
        code: 'ERR_TOO_MANY_CLIENTS',
        detail: expect.stringContaining('first delete one with DELETE'),
      })
    }
    expect(await clientsOf('acme')).toHaveLength(MAX)
    expect((await hosts[0]!.api('bob').call('POST /api-keys', { name: 'Own' })).status).toBe(201)
  })

  it('the methods of the gatehouse reject a creation above the maximum, and accept one after a deletion', async () => {
    await fill()
    const input = { accountId: 'acme', name: 'One more' }
    const rejection = expect.objectContaining({ code: 'ERR_TOO_MANY_CLIENTS', status: 422 })
    await expect(gatehouse().apiKeys.create(input)).rejects.toEqual(rejection)
    await expect(gatehouse().applications.create({ ...input, redirectUris: [CALLBACK] })).rejects.toEqual(
      rejection,
    )
    const [first = ''] = await clientsOf('acme')
    await gatehouse().apiKeys.delete(first)
    expect((await gatehouse().apiKeys.create(input)).clientSecret).toEqual(expect.any(String))
    await expect(gatehouse().apiKeys.create(input)).rejects.toEqual(rejection)
  })

  it('two processes that create clients at the same time never exceed the maximum', async () => {
    await fill(MAX - 2)
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => post('/api-keys', {}, at % 2)))
    expect(answers.filter(({ status }) => status !== 201 && status !== 422)).toEqual([])
    expect((await clientsOf('acme')).length).toBeLessThanOrEqual(MAX)
    const room = MAX - (await clientsOf('acme')).length
    for (let at = 0; at < room; at += 1) expect((await post('/api-keys')).status).toBe(201)
    expect((await post('/api-keys')).status).toBe(422)
  })

  it('a repeated creation with an Idempotency-Key gets the first answer when the account is full', async () => {
    await fill(MAX - 1)
    const headers = { 'idempotency-key': 'the-last-one' }
    const first = await post('/api-keys', headers)
    expect(first.status).toBe(201)
    expect((await post('/api-keys', headers, 1)).body).toEqual(first.body)
    const rejected = { 'idempotency-key': 'one-too-many' }
    expect((await post('/api-keys', rejected)).status).toBe(422)
    await gatehouse().apiKeys.delete(first.body.apiKey.clientId)
    expect((await post('/api-keys', rejected)).status).toBe(201)
  })

  it('an import ignores the maximum, and an account above the maximum keeps its clients', async () => {
    await fill(1)
    const [first = ''] = await clientsOf('acme')
    await importKeys(gatehouse(), first, 2 * MAX)
    expect(await clientsOf('acme')).toHaveLength(2 * MAX + 1)
    expect((await post('/api-keys')).status).toBe(422)
    const rotated = await gatehouse().apiKeys.rotateSecret(`${first}0`)
    const token = await hosts[1]!.requestDirectToken({
      client_id: `${first}0`,
      client_secret: rotated.clientSecret,
    })
    expect(token.status).toBe(200)
    expect((await gatehouse().apiKeys.update(`${first}1`, { name: 'Renamed' })).name).toBe('Renamed')
  })

  it('the console shows the form again and says why', async () => {
    const host = await startConsole({
      store: makeStore(data),
      gatehouse: { maxClientsPerAccount: 1, secret: SECRET },
    })
    const visitor = host.visit('alice')
    const page = await visitor.open('/console/api-keys/new')
    expect((await visitor.submit(page, 'create', { name: 'First', product: ['invoices'] })).status).toBe(200)
    const again = await visitor.open('/console/applications/new')
    const answer = await visitor.submit(again, 'create', { name: 'My second client', product: ['invoices'] })
    expect(answer.status).toBe(422)
    expect(textOf(answer.body)).toContain('The account has as many API keys and applications as it may have')
    expect(answer.body).toContain('value="My second client"')
    expect(await clientsOf('alice')).toHaveLength(1)
    await host.close()
  })
})

describeEachStore('the addresses of an application', (makeStore) => {
  let host: ManagementHost
  beforeEach(async () => {
    host = await startManagement({ store: makeStore() })
  })
  afterEach(() => host.close())

  const addresses = (count: number, host = 'a') =>
    Array.from({ length: count }, (_, at) => `https://${host}.example/${at}`.padEnd(1000, 'x'))

  it('more than 16 kB of addresses are rejected, and the error names the total', async () => {
    const { call } = host.api('acme')
    const input = { name: 'Ledger', products: ['invoices'] }
    const rejected = await call('POST /applications', { ...input, redirectUris: addresses(17) })
    expect(rejected).toMatchObject({
      status: 422,
      body: { code: 'ERR_INVALID_ARGUMENT', detail: expect.stringContaining('17000 characters in total') },
    })
    const split = {
      redirectUris: addresses(9),
      postLogoutRedirectUris: addresses(7),
      privacyUri: `https://a.example/${'x'.repeat(600)}`,
    }
    expect((await call('POST /applications', { ...input, ...split })).status).toBe(422)
    const { privacyUri: _, ...fitting } = split
    const created = await call('POST /applications', { ...input, ...fitting })
    expect(created.status).toBe(201)

    const { clientId } = created.body.application
    const { applications } = host.gatehouse
    const rejection = expect.objectContaining({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining('characters in total'),
    })
    await expect(applications.update(clientId, { redirectUris: addresses(10) })).rejects.toEqual(rejection)
    await expect(
      applications.update(clientId, { logoUri: `https://a.example/${'x'.repeat(600)}` }),
    ).rejects.toEqual(rejection)
    expect(
      (await call(`PATCH /applications/${clientId}`, { termsUri: `https://a.example/${'x'.repeat(600)}` }))
        .status,
    ).toBe(422)
    expect(await applications.find(clientId)).toMatchObject(fitting)
  })

  it('an application that was imported with longer addresses may be changed, as long as they do not become longer', async () => {
    const { application } = await host.gatehouse.applications.create({
      accountId: 'acme',
      name: 'Ledger',
      redirectUris: addresses(9),
    })
    const { clientId } = application
    const lines: string[] = []
    for await (const line of exportRegistry(host.gatehouse)) {
      lines.push(
        line
          .replaceAll(clientId, `${clientId}2`)
          .replace(
            '"postLogoutRedirectUris":[]',
            `"postLogoutRedirectUris":${JSON.stringify(addresses(20, 'b'))}`,
          ),
      )
    }
    await importRegistry(host.gatehouse, lines, { signingKeys: false })
    const { applications } = host.gatehouse
    const id = `${clientId}2`
    expect((await applications.update(id, { name: 'Renamed' })).name).toBe('Renamed')
    expect((await applications.update(id, { redirectUris: addresses(8) })).redirectUris).toHaveLength(8)
    await expect(applications.update(id, { redirectUris: addresses(9) })).rejects.toThrow(
      'characters in total',
    )
  })
})

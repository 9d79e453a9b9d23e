// Also runs on: Redis
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeEachStore } from '../../support/stores.ts'
import type { Store } from 'koa-gatehouse'
import { until } from '../../support/until.ts'
import { startManagement, type ManagementHost } from './setup.ts'

describeEachStore('edits of one client through two processes', (makeStore) => {
  let hosts: ManagementHost[] = []
  let store: Store
  beforeAll(async () => {
    const data = `edits ${Date.now()}`
    store = makeStore(data)
    hosts = await Promise.all([0, 1].map(() => startManagement({ store: makeStore(data) })))
  })
  afterAll(() => Promise.all(hosts.map((host) => host.close())))
  const call = (at: number, ...args: Parameters<ReturnType<ManagementHost['api']>['call']>) =>
    hosts[at]!.api('acme').call(...args)

  async function create() {
    const { body, headers } = await call(0, 'POST /applications', { name: 'Ledger' })
    return { path: `/applications/${body.application.clientId}`, etag: headers.get('etag')! }
  }

  it('a request that cannot depend on an ETag rejects If-Match instead of ignoring it', async () => {
    const { body } = await call(0, 'POST /api-keys', { name: 'x' })
    const one = `/api-keys/${body.apiKey.clientId}`
    for (const target of [`POST ${one}/secrets`, `POST ${one}/report-compromised`]) {
      const answer = await call(0, target, {}, { 'if-match': '"any"' })
      expect(answer).toMatchObject({ status: 422, body: { code: 'ERR_INPUT' } })
    }
    expect((await call(0, `GET ${one}/secrets`)).body.items).toHaveLength(1)
  })

  it('a change with a stale If-Match gets 412, and changes nothing', async () => {
    const { path, etag } = await create()
    expect((await call(1, `GET ${path}`)).headers.get('etag')).toBe(etag)
    const renamed = await call(1, `PATCH ${path}`, { name: 'Ledger 2' }, { 'if-match': etag })
    expect(renamed.status).toBe(200)
    const stale = { 'if-match': etag }
    for (const line of [
      `PATCH ${path}`,
      `PUT ${path}/products/invoices`,
      `POST ${path}/disable`,
      `DELETE ${path}`,
    ]) {
      const answer = await call(0, line, line.startsWith('PATCH') ? { name: 'Ledger 3' } : undefined, stale)
      expect(answer).toMatchObject({ status: 412, body: { code: 'ERR_CHANGED' } })
    }
    const read = await call(0, `GET ${path}`)
    expect(read.body).toEqual(renamed.body)
    expect(read.headers.get('etag')).toBe(renamed.headers.get('etag'))
    expect(
      (await call(0, `DELETE ${path}`, undefined, { 'if-match': `"other", ${read.headers.get('etag')}` }))
        .status,
    ).toBe(204)
  })

  it('each change answers with the ETag of the client as it is read later, also after a field was removed', async () => {
    const { path, etag } = await create()
    let current = etag
    for (const changes of [
      { homepageUri: 'https://ledger.example/' },
      { homepageUri: null },
      { name: 'X' },
    ]) {
      const { status, headers } = await call(0, `PATCH ${path}`, changes, { 'if-match': current })
      expect(status).toBe(200)
      current = headers.get('etag')!
      expect((await call(1, `GET ${path}`)).headers.get('etag')).toBe(current)
    }
  })

  it('a change with a stale If-Match leaves nothing to complete', async () => {
    const { path, etag } = await create()
    const stale = { 'if-match': etag.toLowerCase() }
    const id = path.slice('/applications/'.length)
    const pending = async () => {
      const names = ['audit:pending', 'revocations:pending']
      const indexes = await Promise.all(names.map((index) => store.range(index, { limit: 1000 })))
      return indexes.flat().filter((member) => member.includes(id))
    }
    await until(async () => expect(await pending()).toEqual([]))
    for (const line of [`POST ${path}/disable`, `DELETE ${path}`, `PUT ${path}/products/invoices`]) {
      expect((await call(0, line, undefined, stale)).status).toBe(412)
    }
    await until(async () => expect(await pending()).toEqual([]), { timeoutMs: 2000 })
  })

  it('of concurrent changes with the same If-Match exactly one is made', async () => {
    const { path, etag } = await create()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        call(at % 2, `PATCH ${path}`, { name: `Name ${at}` }, { 'if-match': etag }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 412),
    ])
    const made = answers.find(({ status }) => status === 200)
    expect((await call(0, `GET ${path}`)).body).toEqual(made?.body)
  })

  it('concurrent changes without If-Match are all made', async () => {
    const { path } = await create()
    const answers = await Promise.all([
      call(0, `PUT ${path}/products/invoices`),
      call(1, `PUT ${path}/products/payments`),
      call(0, `PATCH ${path}`, { name: 'Both' }),
      call(1, `PATCH ${path}`, { homepageUri: 'https://ledger.example/' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { body } = await call(0, `GET ${path}`)
    expect(body).toMatchObject({ name: 'Both', homepageUri: 'https://ledger.example/' })
    expect(body.products.toSorted()).toEqual(['invoices', 'payments'])
  })
})

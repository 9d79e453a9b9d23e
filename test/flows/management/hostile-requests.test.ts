import { importKeys } from '../../support/import-keys.ts'
import { bodyParser } from '@koa/bodyparser'
import type { Middleware } from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { request, startManagement, type ManagementHost } from './setup.ts'

const JSON_TYPE = { 'content-type': 'application/json', 'test-token': 'acme' }

describe.each([
  { parser: 'without a body parser of the host', above: [] },
  { parser: 'below a body parser of the host', above: [bodyParser({ jsonLimit: '2mb' })] },
])('bad input $parser', ({ above }) => {
  let host: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: memoryStore(), above })
  })
  afterAll(() => host.close())

  const call = (...args: Parameters<ReturnType<ManagementHost['api']>['call']>) =>
    host.api('acme').call(...args)
  const post = (body: string, path = '/api-keys') => request(host, 'POST', path, { headers: JSON_TYPE, body })
  const count = async () => (await call('GET /applications?limit=500')).body.items.length

  it('fields that only the service sets cannot be set', async () => {
    const before = await count()
    const own = await call('POST /applications', { name: 'Ledger' })
    const path = `/applications/${own.body.application.clientId}`
    for (const extra of [
      { accountId: 'bob' },
      { userId: 'olga' },
      { firstParty: true },
      { resourceServer: true },
      { secretHash: `sha256:${'A'.repeat(43)}` },
      { clientId: 'app_mine' },
      { epoch: 0 },
      { actor: 'bob' },
      { disabled: false },
      { constructor: { prototype: { admin: true } } },
    ]) {
      const created = await call('POST /applications', { name: 'Ledger', ...extra })
      expect(created).toMatchObject({ status: 422, body: { errors: [{ path: Object.keys(extra)[0] }] } })
      expect((await call(`PATCH ${path}`, extra)).status, Object.keys(extra)[0]).toBe(422)
    }
    expect(await count()).toBe(before + 1)
    expect((await call(`GET ${path}`)).body).toEqual(own.body.application)
  })

  it('names and addresses that could mislead people are rejected with their paths', async () => {
    const names = ['x'.repeat(10_000), 'a\u0000b', 'a\nb', 'pay\u202elap', '\u2066abc', ' ', '\ud800']
    for (const name of names) {
      const answer = await call('POST /applications', { name })
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'name' }] } })
    }
    const urls = ['JaVaScRiPt:alert(1)', 'data:text/html,x', ' https://a.example', 'https://u:p@a.example/']
    urls.push('ftp://a.example', `https://a.example/${'x'.repeat(3000)}`)
    for (const url of urls) {
      const uris = { homepageUri: url, logoUri: url, privacyUri: url, termsUri: url, redirectUris: [url] }
      const answer = await call('POST /applications', {
        name: 'Ledger',
        ...uris,
        postLogoutRedirectUris: [url],
      })
      expect(answer.status).toBe(422)
      expect(answer.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
        'homepageUri',
        'logoUri',
        'postLogoutRedirectUris[0]',
        'privacyUri',
        'redirectUris[0]',
        'termsUri',
      ])
    }
  })

  it('a body of 1 MB gets 413, with a length or in chunks', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(1_000_000) })
    expect(await post(large)).toMatchObject({ status: 413, body: { code: 'ERR_BODY_TOO_LARGE' } })
    const chunks = new Blob([large]).stream() as ReadableStream
    const answer = await request(host, 'POST', '/api-keys', { headers: JSON_TYPE, body: chunks }).catch(
      () => undefined,
    )
    if (answer) expect(answer.status).toBe(413)
    expect((await call('GET /session')).status).toBe(200)
  })

  it('of duplicate members the last one counts, and it is checked', async () => {
    const { status, body } = await post('{"name":"One","name":"Two"}')
    expect({ status, name: body.apiKey.name }).toEqual({ status: 201, name: 'Two' })
    expect((await post('{"name":"One","name":7}')).status).toBe(422)
    expect((await post('{"name":"One","accountId":"bob","accountId":"acme"}')).status).toBe(422)
  })

  it('bodies of other forms, and deep bodies, are rejected with short answers', async () => {
    for (const body of [
      '['.repeat(30_000) + ']'.repeat(30_000),
      `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      `{"name":"x","products":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      '[]',
      JSON.stringify({ name: 'x', products: Array.from({ length: 9000 }, () => 1) }),
    ]) {
      const answer = await post(body)
      expect(answer.status, body.slice(0, 50)).toBe(422)
      expect(JSON.stringify(answer.body).length).toBeLessThan(20_000)
    }
  })

  if (above.length === 0) {
    it('after a body that is too large, the same connection serves the next request', async () => {
      const large = new Blob([JSON.stringify({ name: 'x'.repeat(1_000_000) })]).stream() as ReadableStream
      await request(host, 'POST', '/api-keys', { headers: JSON_TYPE, body: large }).catch(() => undefined)
      expect((await post('{')).status).toBe(400)
      expect((await call('GET /session')).status).toBe(200)
    })

    it('a body that is no JSON object gets 400', async () => {
      for (const body of [
        '{',
        'null',
        '1',
        '"text"',
        '{"__proto__":{"admin":true},"name":"x"}',
        '{"name":"x"}}',
      ])
        expect(await post(body), body).toMatchObject({ status: 400, body: { code: 'ERR_BODY' } })
    })
  }

  it('ids and queries of any form get an answer below 500', async () => {
    const ids = ['%00', '%', '%zz', '..%2f..', '__proto__', 'x'.repeat(3000), '%F0%9F%98%80', '%2e%2e']
    for (const id of ids) {
      for (const path of [`/api-keys/${id}`, `/applications/${id}`, `/api-keys/${id}/access`]) {
        const { status } = await call(`GET ${path}`)
        expect([400, 404], path).toContain(status)
      }
    }
    const queries =
      `limit=0 limit=501 limit=1e3 limit=-1 limit=1&limit=2 cursor= cursor=x cursor[a]=1 name=a&name=b
      accountId=bob __proto__=1`.split(/\s+/)
    for (const query of queries) {
      const answer = await call(`GET /api-keys?${query}`)
      expect(answer.status, query).toBe(422)
    }
  })
})

it('texts of a proxy that are no address reject no change, and reach the audit trail without control characters', async () => {
  const behindProxy: Middleware = (ctx, next) => {
    ctx.app.proxy = true
    return next()
  }
  const host = await startManagement({ store: memoryStore(), above: [behindProxy] })
  const headers = {
    'x-forwarded-for': `a\tb\u0085c${'d'.repeat(500)}`,
    'user-agent': `x\ty${'z'.repeat(500)}`,
  }
  const { call } = host.api('acme')
  const created = await call('POST /api-keys', { name: 'Ledger' }, headers)
  expect(created.status).toBe(201)
  expect((await call('GET /audit')).body.items).toMatchObject([
    { name: 'client.created', address: `abc${'d'.repeat(59)}`, userAgent: `xy${'z'.repeat(197)}` },
  ])
  await host.close()
})

/** Calls about clients. Other calls poll for revocations and signing keys in the background. */
const IS_OF_CLIENTS = /client|apiKey|used/i

describe('lists of one owner', () => {
  it('a page costs three round trips for each 500 clients of the account, whatever it filters', async () => {
    const inner = memoryStore()
    const calls: string[] = []
    const store = new Proxy(inner, {
      get(target, name: keyof typeof inner) {
        const member = target[name]
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          const call = `${name} ${String(args[0]).slice(0, 40)}`
          // Each process reads the log of revocations regularly, whatever requests it serves.
          if (!call.startsWith('range revocations:recent')) calls.push(call)
          return Reflect.apply(member, target, args) as unknown
        }
      },
    })
    const host = await startManagement({ store })
    const { apiKey } = await host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Key' })
    await importKeys(host.gatehouse, apiKey.clientId, 999, (at) => `Key ${at}`)
    // Waits until the entries of the creations are in the audit trail.
    await host.gatehouse.audit.list({ limit: 1 })
    const { call } = host.api('acme')
    const most = { '': 4, '?limit=500': 4, '?name=key%207&limit=5': 6, '?name=none': 6, '?sort=name': 6 }
    for (const [query, count] of Object.entries(most)) {
      calls.length = 0
      const { body } = await call(`GET /api-keys${query}`)
      const reads = calls.filter((each) => /^(range|getMany|get) /.test(each) && IS_OF_CLIENTS.test(each))
      expect(reads).toHaveLength(count)
      expect(body.cursor !== undefined).toBe(query !== '?name=none')
    }
    await host.close()
  }, 120_000)
})

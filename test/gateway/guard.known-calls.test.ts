import fc from 'fast-check'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createTestGateway, serveRaw, type RawServer } from './support/api.ts'
import { HOSTILE } from './support/hostile-paths.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

/** One app that may decide from its cache, and one app without a cache, which examines every call completely. */
let servers: readonly [withCache: RawServer, withoutCache: RawServer]
let tokens: readonly string[]

const catalog = createCatalog({
  items: {
    title: 'Items',
    operations: {
      'items:list': { route: 'GET /items', title: 'List' },
      'items:read': { route: 'GET /items/:id', title: 'Read' },
      'items:keys': { route: 'GET /items/keys', title: 'Keys' },
      'items:pair': { route: 'GET /items/a,b', title: 'Pair' },
      'status:read': { route: 'GET /status', title: 'Status' },
      'items:make': { route: 'POST /items', title: 'Make' },
      'reports:read': { route: 'GET /reports/:id', title: 'Reports' },
    },
  },
})
const lookups = {
  findScope: (method: string, path: string) => catalog.findOperation(method, path)?.scope,
  findClaims: (method: string, path: string) => catalog.findClaims(method, path),
  isKnownScope: () => true,
}

beforeAll(async () => {
  const { gateway, issuer } = await createTestGateway(lookups)
  const { gateway: uncached } = await createTestGateway({
    ...lookups,
    getKey: issuer.getKey,
    maxCachedTokens: 0,
  })
  const serve = (each: typeof gateway) =>
    serveRaw(
      new Koa({ proxy: false })
        .use(each.middleware({ optional: ['GET /reports/:id'], public: ['GET /health', 'GET /status'] }))
        .use((ctx) => void (ctx.body = ctx.state['auth'] ?? 'open')),
    )
  servers = [await serve(gateway), await serve(uncached)]
  tokens = await mintTokens(issuer)
  for (const token of tokens)
    await ask(servers[0], 'GET /api/items HTTP/1.1', [`Authorization: Bearer ${token}`])
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

const mintTokens = (issuer: TokenIssuer) =>
  Promise.all(
    ['items:list', 'items:list items:read', 'items:keys reports:read status:read', ''].map((scope) =>
      issuer.mint({ scope }),
    ),
  )

async function ask(server: RawServer, line: string, fields: readonly string[]) {
  const { status, text } = await server.send(
    [line, 'Host: x', 'Connection: close', ...fields, '', ''].join('\r\n'),
  )
  return { status, body: text.split('\r\n\r\n')[1], challenge: /^www-authenticate:.*$/im.exec(text)?.[0] }
}

async function expectSameAnswer(line: string, fields: readonly string[]): Promise<number> {
  const [cached, uncached] = [await ask(servers[0], line, fields), await ask(servers[1], line, fields)]
  expect(cached, `${line} ${fields.join(' ')}`).toEqual(uncached)
  return cached.status
}

it('a call with a cached token gets the same answer as a call that is examined completely', async () => {
  const statuses = new Set<number>()
  const paths = [
    '/api/items',
    '/api/items/7',
    '/api/items/',
    '/api/items/keys',
    '/api/items/KEYS',
    '/api/reports/1',
    '/api/health',
    // Public, and an operation. The other path selects two operations, before and after it is decoded.
    '/api/status',
    '/api/items/a%2Cb',
    '/api/x',
    '/api',
    '/',
  ]
  const queries = ['', '?access_token=a', '?a%63cess_token=a', '?x#y', '?', '?x=%20']
  for (const path of [...paths, ...HOSTILE]) {
    for (const query of paths.includes(path) ? queries : ['']) {
      for (const token of tokens) {
        statuses.add(
          await expectSameAnswer(`GET ${path}${query} HTTP/1.1`, [`Authorization: Bearer ${token}`]),
        )
      }
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 403, 404]))
})

it('for any method, path and Authorization fields, the cache does not change the answer', async () => {
  const token = fc.constantFrom(...tokens, 'unknown', '')
  const field = fc
    .tuple(
      fc.constantFrom('Authorization', 'authorization', 'AUTHORIZATION'),
      fc.constantFrom('Bearer ', 'bearer ', 'Bearer  ', 'Basic ', 'Bearer'),
      token,
    )
    .map(([name, scheme, text]) => `${name}: ${scheme}${text}`)
  const segment = fc.constantFrom(
    'api',
    'items',
    'keys',
    '7',
    'reports',
    'API',
    '.',
    '..',
    '',
    '%2e',
    'é',
    'keys;x',
  )
  const call = fc.tuple(
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
    fc.array(segment, { maxLength: 5 }).map((segments) => `/api/${segments.join('/')}`),
    fc.array(field, { maxLength: 2 }),
  )
  await fc.assert(
    fc.asyncProperty(call, async ([method, path, fields]) => {
      await expectSameAnswer(`${method} ${path} HTTP/1.1`, fields)
    }),
    { numRuns: 40 },
  )
})

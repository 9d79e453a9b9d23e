import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { CatalogOptions } from '../../src/catalog/product-definitions-rule.ts'
import { GatehouseError, type Problem } from '../../src/errors.ts'
import { kycLevels, products } from './definitions.ts'

function problemsOf(definitions: unknown, options?: CatalogOptions): readonly Problem[] {
  try {
    createCatalog(definitions, options)
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error
    expect(error.code).toBe('ERR_CATALOG')
    return error.problems
  }
  return []
}

const operation = { route: 'GET /a', title: 'A' }
const withOperation = (definition: unknown, scope = 'a:read') => ({
  a: { title: 'A', operations: { [scope]: definition } },
})

describe('createCatalog', () => {
  it('a catalog keeps products and operations in the order of their definitions', () => {
    const catalog = createCatalog(products, { kycLevels })
    expect([...catalog.products.keys()]).toEqual(['invoices', 'payments'])
    expect([...catalog.operations.keys()]).toEqual([
      'invoices:read',
      'invoices:create',
      'payments:list',
      'payments:transfer',
    ])
    expect(catalog.kycLevels).toEqual(kycLevels)
    expect(catalog.operations.get('invoices:read')).toEqual({
      scope: 'invoices:read',
      routes: [
        { method: 'GET', path: '/invoices/list' },
        { method: 'GET', path: '/invoices/:id' },
      ],
      title: 'Read your invoices',
      sensitive: false,
    })
  })

  it('a scope that two products define in the same way is one operation', () => {
    const catalog = createCatalog(products, { kycLevels })
    const [one, other] = [...catalog.products.values()].map(({ operations }) =>
      operations.find(({ scope }) => scope === 'invoices:create'),
    )
    expect(one).toBeDefined()
    expect(other).toBe(one)
  })

  it('a catalog is frozen, and shares no object with the definitions of the host', () => {
    const definitions = structuredClone(products) as Record<string, { title: string }>
    const catalog = createCatalog(definitions, { kycLevels })
    definitions['invoices']!.title = 'changed'
    const product = catalog.products.get('invoices')!
    expect(product.title).toBe('Invoices')
    for (const part of [
      catalog,
      product,
      product.operations,
      product.operations[0]!.routes,
      catalog.kycLevels,
    ]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(Object.isFrozen(definitions)).toBe(false)
  })

  it('a catalog may be empty, because a database may have no products yet', () => {
    expect(createCatalog({}).products.size).toBe(0)
  })

  it('without kycLevels a catalog accepts every KYC level', () => {
    expect(createCatalog(products).operations.size).toBe(4)
  })

  it('all problems of the products are reported in one error, each with its path', () => {
    const definitions = {
      'bad id': { title: 'A', operations: { a: operation } },
      invoices: { title: ' ', operations: {}, colour: 'red' },
      payments: {
        operations: {
          openid: { route: 'GET /b', title: 'B' },
          'with space': { route: [], title: { en: '', 'e n': 'x' } },
          'pay:all': { route: ['GET /c/', 3], title: 'C', kycLevel: 'gold', titel: 'x' },
        },
      },
      reports: 'none',
    }
    expect(problemsOf(definitions, { kycLevels }).map(({ path }) => path)).toEqual([
      "products['bad id']",
      'products.invoices.title',
      'products.invoices.operations',
      'products.invoices.colour',
      'products.payments.title',
      'products.payments.operations.openid',
      "products.payments.operations['with space']",
      "products.payments.operations['with space'].route",
      "products.payments.operations['with space'].title.en",
      "products.payments.operations['with space'].title['e n']",
      "products.payments.operations['pay:all'].route[0]",
      "products.payments.operations['pay:all'].route[1]",
      "products.payments.operations['pay:all'].kycLevel",
      "products.payments.operations['pay:all'].titel",
      'products.reports',
    ])
  })

  it('a catalog rejects products that are no object', () => {
    for (const value of [undefined, null, [], 'products', new Map(), Promise.resolve({})]) {
      expect(problemsOf(value)).toMatchObject([
        { path: 'products', message: expect.stringContaining('must be an object, and is ') },
      ])
    }
  })

  it('a scope has the characters and the length of RFC 6749 3.3, and is not reserved by OpenID Connect', () => {
    const isAccepted = (scope: string) => problemsOf(withOperation(operation, scope)).length === 0
    const valid = ['!', '#[', ']~', 'invoices:read', 'https://example.com/invoices.read', 'x'.repeat(256)]
    const invalid = ['', 'a b', 'a"b', 'a\\b', 'ä', 'a\u0000', 'a\u007f', 'x'.repeat(257)]
    expect([...valid, ...invalid].filter(isAccepted)).toEqual(valid)
    const reserved = ['openid', 'offline_access', 'profile', 'email', 'address', 'phone', 'company']
    const problems = reserved.map(
      (scope) => problemsOf(withOperation(operation, scope), { reservedScopes: ['company'] })[0],
    )
    const message = expect.stringContaining('reserved by OpenID Connect') as string
    expect(problems).toEqual(
      reserved.map((scope) => ({ path: `products.a.operations.${scope}`, code: 'not-allowed', message })),
    )
  })

  it('a scope with two different definitions is rejected, and the error names both places and the differing properties', () => {
    const problems = problemsOf({
      a: { title: 'A', operations: { shared: { route: 'GET /a', title: 'A', kycLevel: 'basic' } } },
      b: { title: 'B', operations: { shared: { route: ['GET /b'], title: 'A' } } },
    })
    expect(problems).toEqual([
      {
        path: 'products.b.operations.shared',
        code: 'not-allowed',
        message: expect.stringContaining('differs from products.a.operations.shared in route, kycLevel'),
      },
    ])
  })

  it('an operation is sensitive only if its definition says so, and two definitions of one scope must agree', () => {
    const catalog = createCatalog({
      a: {
        title: 'A',
        operations: {
          plain: { route: 'GET /a', title: 'A' },
          pay: { route: 'GET /b', title: 'B', sensitive: true },
        },
      },
    })
    const sensitive = [...catalog.operations.values()].map((each) => [each.scope, each.sensitive])
    expect(sensitive).toEqual([
      ['plain', false],
      ['pay', true],
    ])
    const shared = { route: 'GET /a', title: 'A' }
    const problems = problemsOf({
      a: { title: 'A', operations: { shared: { ...shared, sensitive: true } } },
      b: { title: 'B', operations: { shared: { ...shared, sensitive: false } } },
    })
    expect(problems[0]?.message).toContain('differs from products.a.operations.shared in sensitive')
  })

  it('a route and a list of only this route are the same definition', () => {
    const catalog = createCatalog({
      a: { title: 'A', operations: { shared: { route: 'GET /a', title: { en: 'A', de: 'B' } } } },
      b: { title: 'B', operations: { shared: { route: ['GET /a'], title: { de: 'B', en: 'A' } } } },
    })
    expect(catalog.operations.size).toBe(1)
  })

  it('two different operations cannot have routes that match the same requests', () => {
    for (const [one, other] of [
      ['GET /invoices/:id', 'GET /invoices/:key'],
      ['GET /invoices/list', 'GET /Invoices/LIST'],
      ['GET /a%20b', 'GET /A%20B'],
      ['POST /:a/x/:b', 'POST /:c/X/:d'],
      ['GET /', 'GET /'],
    ]) {
      const problems = problemsOf({
        a: { title: 'A', operations: { one: { route: one, title: 'A' } } },
        b: { title: 'B', operations: { other: { route: ['PUT /c', other], title: 'A' } } },
      })
      expect(problems).toEqual([
        {
          path: 'products.b.operations.other.route[1]',
          code: 'duplicate',
          message: expect.stringContaining('the same route as products.a.operations.one.route'),
        },
      ])
    }
  })

  it('an operation without a route has its scope and its texts, and matches no request', () => {
    const catalog = createCatalog({
      a: { title: 'A', operations: { tool: { title: 'Use the tool' }, read: operation } },
      b: { title: 'B', operations: { tool: { title: 'Use the tool', route: undefined } } },
    })
    expect(catalog.operations.get('tool')).toEqual({
      scope: 'tool',
      routes: [],
      title: 'Use the tool',
      sensitive: false,
    })
    expect(catalog.products.get('b')?.operations.map(({ scope }) => scope)).toEqual(['tool'])
    for (const path of ['/', '/tool', '/A/', '']) expect(catalog.findOperation('POST', path)).toBeUndefined()
    expect(catalog.findClaims('GET', '/')).toEqual([])
  })

  it('a scope with a route in one product and without a route in another is a problem', () => {
    const definitions = {
      a: { title: 'A', operations: { tool: { title: 'A' } } },
      b: { title: 'B', operations: { tool: operation } },
    }
    expect(problemsOf(definitions)).toEqual([
      {
        path: 'products.b.operations.tool',
        code: 'not-allowed',
        message: expect.stringContaining('differs from products.a.operations.tool in route'),
      },
    ])
  })

  it('one operation cannot have the same route twice', () => {
    expect(problemsOf(withOperation({ route: ['GET /a', 'GET /A'], title: 'A' }))).toEqual([
      {
        path: "products.a.operations['a:read'].route[1]",
        code: 'duplicate',
        message: expect.stringContaining('the same route'),
      },
    ])
  })

  it('an operation with an invalid property is rejected because of this property', () => {
    const invalid: [object, string][] = [
      [{ route: 'GET /a' }, 'title'],
      [{ route: 'GET /a', title: 3 }, 'title'],
      [{ route: 'GET /a', title: {} }, 'title'],
      [{ route: 'GET /a', title: { en: 'A', EN: 'A' } }, 'title.EN'],
      [{ route: 'GET /a', title: ['A'] }, 'title'],
      [{ route: 'GET /a', title: 'A', description: '' }, 'description'],
      [{ route: 'GET /a', title: 'A', description: null }, 'description'],
      [{ route: [], title: 'A' }, 'route'],
      [{ route: null, title: 'A' }, 'route'],
      [{ route: 'GET /a', title: 'A', kycLevel: '' }, 'kycLevel'],
      [{ route: 'GET /a', title: 'A', kycLevel: 2 }, 'kycLevel'],
      [{ route: 'GET /a', title: 'A', kycLevel: 'Basic' }, 'kycLevel'],
      [{ route: 'GET /a', title: 'A', sensitive: 'yes' }, 'sensitive'],
      [{ route: 'GET /a', title: 'A', sensitive: null }, 'sensitive'],
    ]
    const found = invalid.map(([definition]) =>
      problemsOf(withOperation(definition), { kycLevels }).map(({ path }) => path),
    )
    expect(found).toEqual(invalid.map(([, property]) => [`products.a.operations['a:read'].${property}`]))
  })

  it('an unknown KYC level is rejected, and the error lists the known levels', () => {
    const problems = problemsOf(withOperation({ ...operation, kycLevel: 'gold' }), { kycLevels })
    expect(problems[0]?.message).toBe(
      "the KYC level 'gold' is not in kycLevels ('none', 'basic', 'verified')",
    )
  })

  it('routes that repeat the path of {base_url} are ERR_OPTIONS, with the place of each, in products that the API has', () => {
    const routes = ['GET /api', 'GET /apis', 'GET /API/a', 'GET /v1/api'] as const
    const definitions = {
      one: { title: 'A', operations: { list: { route: routes, title: 'A' }, none: { title: 'A' } } },
      two: { title: 'B', operations: { get: { route: 'GET /api/:id', title: 'A' } } },
      tools: { title: 'C', operations: { call: { route: 'POST /api/call', title: 'A' } } },
    }
    const basePathOf = (id: string) => (id === 'tools' ? undefined : '/api')
    expect(() => createCatalog(definitions, { basePathOf })).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTIONS',
        problems: [
          expect.objectContaining({ path: 'products.one.operations.list.route[0]' }),
          expect.objectContaining({ path: 'products.one.operations.list.route[2]' }),
          {
            path: 'products.two.operations.get.route',
            code: 'format',
            message: 'would be /api/api/:id: leave out /api, because routes are relative to {base_url}',
          },
        ],
      }),
    )
    expect(createCatalog(definitions, { basePathOf: () => '/' }).operations.size).toBe(4)
  })

  it('an operation of two products repeats the path of {base_url}, even if the API has only the second product', () => {
    const operations = { get: { route: 'GET /api/a', title: 'A' } }
    const definitions = { tools: { title: 'A', operations }, api: { title: 'B', operations } }
    expect(() => createCatalog(definitions, { basePathOf: (id) => `/${id}` })).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ path: 'products.api.operations.get.route' })],
      }),
    )
  })

  it('names of properties of Object.prototype are valid product ids and scopes', () => {
    const definitions = JSON.parse(
      `{"constructor":{"title":"C","operations":{"__proto__":{"route":"GET /a","title":"A"},"toString":{"route":"GET /hasOwnProperty","title":"B"}}}}`,
    ) as unknown
    const catalog = createCatalog(definitions)
    expect([...catalog.products.keys()]).toEqual(['constructor'])
    expect([...catalog.operations.keys()]).toEqual(['__proto__', 'toString'])
    expect(catalog.operations.has('valueOf')).toBe(false)
    expect(catalog.findOperation('GET', '/hasOwnProperty')?.scope).toBe('toString')
    expect(catalog.findOperation('GET', '/valueOf')).toBeUndefined()
    expect(catalog.findOperation('constructor', '/a')).toBeUndefined()
  })

  it('__proto__ is rejected as the id of a product and as a property of an operation', () => {
    expect(
      problemsOf(JSON.parse('{"__proto__":{"title":"A","operations":{}}}')).map(({ path }) => path),
    ).toEqual(['products.__proto__', 'products.__proto__.operations'])
    const operationWithProto = JSON.parse(
      '{"route":"GET /a","title":"A","__proto__":{"kycLevel":"x"}}',
    ) as unknown
    expect(problemsOf(withOperation(operationWithProto)).map(({ path }) => path)).toEqual([
      "products.a.operations['a:read'].__proto__",
    ])
  })
})

describe('findOperation', () => {
  const catalog = createCatalog(products, { kycLevels })

  it('findOperation finds the operation of a request, and none for a request that differs in more than letter case', () => {
    const find = (request: string) => {
      const [method = '', path = ''] = request.split(' ')
      return catalog.findOperation(method, path)?.scope
    }
    const found = {
      'GET /invoices/list': 'invoices:read',
      'GET /invoices/42': 'invoices:read',
      'HEAD /invoices/42': 'invoices:read',
      'GET /Invoices/LIST': 'invoices:read',
      'GET /invoices/42/': 'invoices:read',
      'POST /invoices/create': 'invoices:create',
      'POST /payments/transfer': 'payments:transfer',
    }
    for (const [request, scope] of Object.entries(found)) expect(find(request), request).toBe(scope)
    const others = [
      '/invoices',
      '/invoices/',
      '/invoices//',
      '//invoices/list',
      '/invoices/42/lines',
      '/',
      '*',
      '',
    ]
      .concat('invoices/list')
      .map((path) => `GET ${path}`)
      .concat('POST /invoices/list', 'DELETE /invoices/42', 'OPTIONS /invoices/list', 'get /invoices/list')
      .concat('HEAD /invoices/create/x')
      .concat(
        ['?x', '#x', ';x'].map((end) => `POST /payments/transfer${end}`),
        'POST /payments/%74ransfer',
      )
    expect(others.filter((request) => find(request) !== undefined)).toEqual([])
  })

  it('findOperation finds the operation of a path with a very long id', () => {
    expect(catalog.findOperation('GET', `/invoices/${'9'.repeat(10_000)}`)?.scope).toBe('invoices:read')
  })

  it('findOperation does not slow down with the number of operations', () => {
    const large = createCatalog({
      all: {
        title: 'All',
        operations: Object.fromEntries(
          Array.from({ length: 5000 }, (_, i) => [
            `op:${i}`,
            { route: `GET /service${i}/:id/items`, title: 'x' },
          ]),
        ),
      },
    })
    const small = createCatalog(withOperation({ route: 'GET /service0/:id/items', title: 'x' }))
    const time = (subject: typeof large) => {
      const start = performance.now()
      for (let i = 0; i < 20_000; i += 1) subject.findOperation('GET', '/service0/1234/items')
      return performance.now() - start
    }
    time(small)
    time(large)
    // A linear search in the large catalog would take some thousand times as long.
    expect(Math.min(time(large), time(large))).toBeLessThan(Math.max(time(small), time(small)) * 20 + 20)
    expect(large.findOperation('GET', '/service4999/1/items')?.scope).toBe('op:4999')
  })
})

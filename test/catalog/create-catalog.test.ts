import { describe, expect, it } from 'vitest'
import { createCatalog, type CatalogOptions } from '../../src/catalog/create-catalog.ts'
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
  it('keeps products and operations in the order of their definitions', () => {
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
    })
  })

  it('makes one operation of a scope that two products define alike', () => {
    const catalog = createCatalog(products, { kycLevels })
    const [one, other] = [...catalog.products.values()].map(({ operations }) =>
      operations.find(({ scope }) => scope === 'invoices:create'),
    )
    expect(one).toBeDefined()
    expect(other).toBe(one)
  })

  it('freezes all of it, and holds on to nothing of the host', () => {
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

  it('takes an empty catalog: a database may have no products yet', () => {
    expect(createCatalog({}).products.size).toBe(0)
  })

  it('does not check KYC levels that it does not know', () => {
    expect(createCatalog(products).operations.size).toBe(4)
  })

  it('reports everything at once, each with its path', () => {
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
      'products.invoices.colour',
      'products.invoices.title',
      'products.invoices.operations',
      'products.payments.title',
      'products.payments.operations.openid',
      "products.payments.operations['with space']",
      "products.payments.operations['with space'].route",
      "products.payments.operations['with space'].title.en",
      "products.payments.operations['with space'].title['e n']",
      "products.payments.operations['pay:all'].titel",
      "products.payments.operations['pay:all'].route[0]",
      "products.payments.operations['pay:all'].route[1]",
      "products.payments.operations['pay:all'].kycLevel",
      'products.reports',
    ])
  })

  it.each([undefined, null, [], 'products', new Map(), Promise.resolve({})])(
    'rejects %s as products',
    (value) => {
      expect(problemsOf(value)).toEqual([
        { path: 'products', message: 'must be an object of products, each under its id' },
      ])
    },
  )

  it.each(['', 'a b', 'a"b', 'a\\b', 'ä', 'a\u0000', 'a\u007f', 'x'.repeat(257)])(
    'rejects the scope %j (RFC 6749 3.3)',
    (scope) => {
      expect(problemsOf(withOperation(operation, scope))).toHaveLength(1)
    },
  )

  it.each(['!', '#[', ']~', 'invoices:read', 'https://example.com/invoices.read', 'x'.repeat(256)])(
    'takes the scope %j',
    (scope) => {
      expect(createCatalog(withOperation(operation, scope)).operations.has(scope)).toBe(true)
    },
  )

  it.each(['openid', 'offline_access', 'profile', 'email', 'address', 'phone', 'company'])(
    'rejects the scope %s, which OpenID Connect reserves',
    (scope) => {
      const problems = problemsOf(withOperation(operation, scope), { reservedScopes: ['company'] })
      expect(problems).toEqual([
        {
          path: `products.a.operations.${scope}`,
          message: expect.stringContaining('reserved by OpenID Connect'),
        },
      ])
    },
  )

  it('names both places where two definitions of a scope differ, and in what', () => {
    const problems = problemsOf({
      a: { title: 'A', operations: { shared: { route: 'GET /a', title: 'A', kycLevel: 'basic' } } },
      b: { title: 'B', operations: { shared: { route: ['GET /b'], title: 'A' } } },
    })
    expect(problems).toEqual([
      {
        path: 'products.b.operations.shared',
        message: expect.stringContaining('differs from products.a.operations.shared in route, kycLevel'),
      },
    ])
  })

  it('takes a route and a list of that one route as the same', () => {
    const catalog = createCatalog({
      a: { title: 'A', operations: { shared: { route: 'GET /a', title: { en: 'A', de: 'B' } } } },
      b: { title: 'B', operations: { shared: { route: ['GET /a'], title: { de: 'B', en: 'A' } } } },
    })
    expect(catalog.operations.size).toBe(1)
  })

  it.each([
    ['GET /invoices/:id', 'GET /invoices/:key'],
    ['GET /invoices/list', 'GET /Invoices/LIST'],
    ['GET /a%20b', 'GET /A%20B'],
    ['POST /:a/x/:b', 'POST /:c/X/:d'],
    ['GET /', 'GET /'],
  ])('rejects %s and %s for two scopes', (one, other) => {
    const problems = problemsOf({
      a: { title: 'A', operations: { one: { route: one, title: 'A' } } },
      b: { title: 'B', operations: { other: { route: ['PUT /c', other], title: 'A' } } },
    })
    expect(problems).toEqual([
      {
        path: 'products.b.operations.other.route[1]',
        message: expect.stringContaining('the same route as products.a.operations.one.route'),
      },
    ])
  })

  it('rejects a route that is twice in one operation', () => {
    expect(problemsOf(withOperation({ route: ['GET /a', 'GET /A'], title: 'A' }))).toEqual([
      {
        path: "products.a.operations['a:read'].route[1]",
        message: expect.stringContaining('the same route'),
      },
    ])
  })

  it.each([
    [{ route: 'GET /a' }, 'title'],
    [{ route: 'GET /a', title: 3 }, 'title'],
    [{ route: 'GET /a', title: {} }, 'title'],
    [{ route: 'GET /a', title: { en: 'A', EN: 'A' } }, 'title.EN'],
    [{ route: 'GET /a', title: ['A'] }, 'title'],
    [{ route: 'GET /a', title: 'A', description: '' }, 'description'],
    [{ route: 'GET /a', title: 'A', description: null }, 'description'],
    [{ title: 'A' }, 'route'],
    [{ route: null, title: 'A' }, 'route'],
    [{ route: 'GET /a', title: 'A', kycLevel: '' }, 'kycLevel'],
    [{ route: 'GET /a', title: 'A', kycLevel: 2 }, 'kycLevel'],
    [{ route: 'GET /a', title: 'A', kycLevel: 'Basic' }, 'kycLevel'],
  ])('rejects the operation %j for its %s', (definition, property) => {
    expect(problemsOf(withOperation(definition), { kycLevels }).map(({ path }) => path)).toEqual([
      `products.a.operations['a:read'].${property}`,
    ])
  })

  it('names the KYC levels that there are', () => {
    const problems = problemsOf(withOperation({ ...operation, kycLevel: 'gold' }), { kycLevels })
    expect(problems[0]?.message).toBe(
      "the KYC level 'gold' is not in kycLevels ('none', 'basic', 'verified')",
    )
  })

  it('takes names of the object prototype for what they are: names', () => {
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

  it('rejects __proto__ as the id of a product, and as an option of an operation', () => {
    expect(
      problemsOf(JSON.parse('{"__proto__":{"title":"A","operations":{}}}')).map(({ path }) => path),
    ).toEqual(['products.__proto__', 'products.__proto__.operations'])
    const operationWithIt = JSON.parse(
      '{"route":"GET /a","title":"A","__proto__":{"kycLevel":"x"}}',
    ) as unknown
    expect(problemsOf(withOperation(operationWithIt)).map(({ path }) => path)).toEqual([
      "products.a.operations['a:read'].__proto__",
    ])
  })
})

describe('findOperation', () => {
  const catalog = createCatalog(products, { kycLevels })

  it.each([
    ['GET', '/invoices/list', 'invoices:read'],
    ['GET', '/invoices/42', 'invoices:read'],
    ['HEAD', '/invoices/42', 'invoices:read'],
    ['GET', '/Invoices/LIST', 'invoices:read'],
    ['GET', '/invoices/42/', 'invoices:read'],
    ['POST', '/invoices/create', 'invoices:create'],
    ['POST', '/payments/transfer', 'payments:transfer'],
  ])('finds %s %s', (method, path, scope) => {
    expect(catalog.findOperation(method, path)?.scope).toBe(scope)
  })

  it.each([
    ['GET', '/invoices'],
    ['GET', '/invoices/'],
    ['GET', '/invoices//'],
    ['GET', '//invoices/list'],
    ['GET', '/invoices/42/lines'],
    ['POST', '/invoices/list'],
    ['DELETE', '/invoices/42'],
    ['OPTIONS', '/invoices/list'],
    ['get', '/invoices/list'],
    ['HEAD', '/invoices/create/x'],
    ['GET', 'invoices/list'],
    ['GET', ''],
    ['GET', '/'],
    ['GET', '*'],
    ['POST', '/payments/transfer?x'],
    ['POST', '/payments/transfer#x'],
    ['POST', '/payments/transfer;x'],
    ['POST', '/payments/%74ransfer'],
  ])('finds nothing for %s %s', (method, path) => {
    expect(catalog.findOperation(method, path)).toBeUndefined()
  })

  it('finds the operation of a very long id', () => {
    expect(catalog.findOperation('GET', `/invoices/${'9'.repeat(10_000)}`)?.scope).toBe('invoices:read')
  })

  it('does not slow down with the number of operations', () => {
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
    // A search through all of them would take some thousand times as long.
    expect(Math.min(time(large), time(large))).toBeLessThan(Math.max(time(small), time(small)) * 20 + 20)
    expect(large.findOperation('GET', '/service4999/1/items')?.scope).toBe('op:4999')
  })
})

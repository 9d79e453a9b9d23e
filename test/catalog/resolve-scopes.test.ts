import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import {
  applicationScopes,
  directScopes,
  explainRejection,
  limitToOwner,
  limitToPerson,
} from '../../src/catalog/resolve-scopes.ts'
import { kycLevels, products } from './definitions.ts'
import { anyText } from '../support/any-text.ts'

const catalog = createCatalog(products, { kycLevels })
const all = { products: ['payments', 'invoices'], removedOperations: [] }

describe('directScopes', () => {
  it('an API key has all scopes of its products once, in the order of the catalog', () => {
    expect(directScopes(catalog, all)).toEqual([
      'invoices:read',
      'invoices:create',
      'payments:list',
      'payments:transfer',
    ])
  })

  it('an API key lacks a removed operation, even if several of its products have the operation', () => {
    const client = { ...all, removedOperations: ['invoices:create', 'payments:list', 'unknown'] }
    expect(directScopes(catalog, client)).toEqual(['invoices:read', 'payments:transfer'])
  })

  it('products that are not in the catalog add no scopes', () => {
    expect(directScopes(catalog, { products: ['gone', '__proto__'], removedOperations: [] })).toEqual([])
    expect(directScopes(catalog, { products: ['gone', 'payments'], removedOperations: [] })).toHaveLength(3)
  })
})

describe('applicationScopes', () => {
  it.each([
    [undefined, ['invoices:read', 'invoices:create']],
    ['none', ['invoices:read', 'invoices:create']],
    ['no such level', ['invoices:read', 'invoices:create']],
    ['basic', ['invoices:read', 'invoices:create', 'payments:list']],
    ['verified', ['invoices:read', 'invoices:create', 'payments:list', 'payments:transfer']],
  ])('the scopes of an application are limited by the KYC level %s', (level, scopes) => {
    expect(applicationScopes(catalog, all, level)).toEqual(scopes)
  })

  it('every account reaches the lowest KYC level, and no account reaches an unknown level', () => {
    const definitions = {
      a: {
        title: 'A',
        operations: {
          low: { route: 'GET /a', title: 'A', kycLevel: 'none' },
          lost: { route: 'GET /b', title: 'B', kycLevel: 'gone' },
        },
      },
    }
    const lax = { ...createCatalog(definitions), kycLevels }
    const client = { products: ['a'], removedOperations: [] }
    expect(applicationScopes(lax, client, undefined)).toEqual(['low'])
    expect(applicationScopes(lax, client, 'verified')).toEqual(['low'])
  })
})

describe('the operations of a person', () => {
  const scopes = ['a', 'b', 'c']

  it('a person without a list of operations has all scopes, and an empty list allows none', () => {
    expect(limitToPerson({}, scopes)).toEqual(scopes)
    expect(limitToPerson({ operations: undefined }, scopes)).toEqual(scopes)
    expect(limitToPerson({ operations: [] }, scopes)).toEqual([])
  })

  it('the scopes of a person keep their order, and an operation that the client does not have adds none', () => {
    expect(limitToPerson({ operations: ['c', 'x', 'a', 'toString', 'a'] }, scopes)).toEqual(['a', 'c'])
  })

  it('the operations of a user limit the API key of this user, and no key without a user', () => {
    expect(limitToOwner({ userId: 'ann' }, { operations: ['b'] }, scopes)).toEqual(['b'])
    expect(limitToOwner({ userId: undefined }, { operations: ['b'] }, scopes)).toEqual(scopes)
  })
})

describe('explainRejection', () => {
  const application = { kind: 'application', products: ['invoices'], removedOperations: [] } as const

  it('explainRejection returns undefined for an allowed scope', () => {
    expect(explainRejection(catalog, application, 'none', 'invoices:read')).toBeUndefined()
  })

  it('explainRejection reports an unknown operation', () => {
    expect(explainRejection(catalog, application, 'none', 'invoices:lst')).toBe(
      'the operation invoices:lst does not exist',
    )
  })

  it('explainRejection names the missing product', () => {
    expect(explainRejection(catalog, application, 'verified', 'payments:list')).toBe(
      'the operation payments:list is in no product of this application; add the product payments',
    )
  })

  it('explainRejection names all products that have the operation', () => {
    const empty = { kind: 'apiKey', products: [], removedOperations: [] } as const
    expect(explainRejection(catalog, empty, undefined, 'invoices:create')).toBe(
      'the operation invoices:create is in no product of this API key; add one of the products invoices, payments',
    )
  })

  it('explainRejection reports a removed operation', () => {
    const client = { ...application, removedOperations: ['invoices:read'] }
    expect(explainRejection(catalog, client, 'none', 'invoices:read')).toBe(
      'the operation invoices:read was removed from this application',
    )
  })

  it('explainRejection names the missing KYC level for an application, and ignores the KYC level for an API key', () => {
    const client = { ...application, products: ['payments'] }
    expect(explainRejection(catalog, client, 'basic', 'payments:transfer')).toBe(
      'the operation payments:transfer needs the KYC level verified of the developer',
    )
    expect(explainRejection(catalog, client, 'verified', 'payments:transfer')).toBeUndefined()
    expect(
      explainRejection(catalog, { ...client, kind: 'apiKey' }, undefined, 'payments:transfer'),
    ).toBeUndefined()
  })

  it('explainRejection explains exactly the scopes that a client does not have', () => {
    const scopes = [...catalog.operations.keys()]
    fc.assert(
      fc.property(
        fc.subarray(['invoices', 'payments']),
        fc.subarray(scopes),
        fc.constantFrom(undefined, ...kycLevels),
        (products, removedOperations, level) => {
          const client = { kind: 'application', products, removedOperations } as const
          const allowedScopes = scopes.filter(
            (s) => explainRejection(catalog, client, level, s) === undefined,
          )
          expect(allowedScopes).toEqual(applicationScopes(catalog, client, level))
          const key = { ...client, kind: 'apiKey' } as const
          const allowedScopesDirect = scopes.filter(
            (s) => explainRejection(catalog, key, level, s) === undefined,
          )
          expect(allowedScopesDirect).toEqual(directScopes(catalog, key))
        },
      ),
    )
  })

  it('an explanation is short and has only the characters of error_description (RFC 6749 5.2)', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 500 }), (scope) => {
        const sentence = explainRejection(catalog, application, undefined, scope)
        expect(sentence).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,160}$/)
      }),
    )
    const level = 'geprüft "\\'
    const odd = createCatalog(
      { a: { title: 'A', operations: { a: { route: 'GET /a', title: 'A', kycLevel: level } } } },
      { kycLevels: ['none', level] },
    )
    expect(explainRejection(odd, { ...application, products: ['a'] }, 'none', 'a')).toBe(
      'the operation a needs the KYC level gepr?ft ?? of the developer',
    )
  })
})

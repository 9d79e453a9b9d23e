import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { productScopesOf, isSameAs, missingFrom, scopesOf } from '../../src/catalog/product-scopes.ts'
import { kycLevels, products } from './definitions.ts'

describe('what products give', () => {
  it('is the scopes of each', () => {
    const given = productScopesOf(createCatalog(products, { kycLevels }))
    expect(Object.keys(given)).toEqual(Object.keys(products))
    for (const [id, { operations }] of Object.entries(products)) {
      expect(given[id]).toEqual(Object.keys(operations))
    }
  })

  it('lacks an operation that another product has only', () => {
    expect(missingFrom({ a: ['x'], b: ['y'] }, { a: ['x', 'y'], c: ['x'] })).toEqual([
      { product: 'a', scope: 'y' },
      { product: 'c', scope: 'x' },
    ])
  })

  it('is the same in whatever order, and not if either side has more', () => {
    expect(isSameAs({ a: ['x', 'y'], b: ['z'] }, { b: ['z'], a: ['y', 'x'] })).toBe(true)
    expect(isSameAs({ a: ['x'] }, { a: ['x', 'y'] })).toBe(false)
    expect(isSameAs({ a: ['x', 'y'] }, { a: ['x'] })).toBe(false)
  })

  it('is nothing for products that have the names of what each object has', () => {
    expect(scopesOf({}, 'constructor')).toEqual([])
    expect(missingFrom({}, { toString: ['x'] })).toEqual([{ product: 'toString', scope: 'x' }])
  })
})

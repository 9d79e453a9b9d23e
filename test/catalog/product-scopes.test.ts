import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { productScopesOf, isSameAs, missingFrom, scopesOf } from '../../src/catalog/product-scopes.ts'
import { kycLevels, products } from './definitions.ts'

describe('product scopes', () => {
  it('productScopesOf returns the scopes of each product', () => {
    const scopes = productScopesOf(createCatalog(products, { kycLevels }))
    expect(Object.keys(scopes)).toEqual(Object.keys(products))
    for (const [id, { operations }] of Object.entries(products)) {
      expect(scopes[id]).toEqual(Object.keys(operations))
    }
  })

  it('missingFrom reports an operation that a product lacks, even if another product has it', () => {
    expect(missingFrom({ a: ['x'], b: ['y'] }, { a: ['x', 'y'], c: ['x'] })).toEqual([
      { product: 'a', scope: 'y' },
      { product: 'c', scope: 'x' },
    ])
  })

  it('isSameAs ignores the order, and is false if either side has more operations', () => {
    expect(isSameAs({ a: ['x', 'y'], b: ['z'] }, { b: ['z'], a: ['y', 'x'] })).toBe(true)
    expect(isSameAs({ a: ['x'] }, { a: ['x', 'y'] })).toBe(false)
    expect(isSameAs({ a: ['x', 'y'] }, { a: ['x'] })).toBe(false)
  })

  it('names of properties of Object.prototype are valid product ids', () => {
    expect(scopesOf({}, 'constructor')).toEqual([])
    expect(missingFrom({}, { toString: ['x'] })).toEqual([{ product: 'toString', scope: 'x' }])
  })
})

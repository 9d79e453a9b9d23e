import { describe, expect, it } from 'vitest'
import { nextRecord, type CatalogRecord } from '../../../src/catalog/sync/catalog-record.ts'

const at = { version: 'g2', lowestEpoch: 0, now: 1000, until: 5000 }

const before: CatalogRecord = {
  version: 'g1',
  epoch: 3,
  products: { a: ['a:read', 'shared'], b: ['shared'] },
  withdrawn: [
    { scope: 'old', below: 1, until: 1000 },
    { scope: 'kept', below: 3, until: 1001 },
  ],
}

describe('the catalog record', () => {
  it('the first record has no withdrawn scopes', () => {
    expect(nextRecord(undefined, { a: ['a:read'] }, at)).toEqual({
      version: 'g2',
      epoch: 0,
      products: { a: ['a:read'] },
      withdrawn: [],
    })
  })

  it('adding an operation keeps the epoch, and keeps the withdrawn scopes that tokens may still carry', () => {
    const products = { ...before.products, c: ['c:read'] }
    expect(nextRecord(before, products, at)).toEqual({
      version: 'g2',
      epoch: 3,
      products,
      withdrawn: [{ scope: 'kept', below: 3, until: 1001 }],
    })
  })

  it('removing an operation from a product raises the epoch, even if another product still has the operation', () => {
    expect(nextRecord(before, { a: ['a:read'], b: ['shared'] }, at)).toMatchObject({
      epoch: 4,
      withdrawn: [
        { scope: 'kept', below: 3, until: 1001 },
        { scope: 'shared', below: 4, until: 5000 },
      ],
    })
  })

  it('a scope that is withdrawn twice is listed once, with the latest epoch and the latest end', () => {
    const again = { ...before, withdrawn: [{ scope: 'shared', below: 2, until: 9000 }] }
    expect(nextRecord(again, {}, at)).toMatchObject({
      epoch: 4,
      withdrawn: [
        { scope: 'a:read', below: 4, until: 5000 },
        { scope: 'shared', below: 4, until: 9000 },
      ],
    })
  })

  it('the epoch never falls below the known epoch, even if the record is lost', () => {
    expect(nextRecord(undefined, {}, { ...at, lowestEpoch: 7 }).epoch).toBe(7)
    expect(nextRecord(before, before.products, { ...at, lowestEpoch: 7 }).epoch).toBe(7)
    expect(nextRecord(before, {}, { ...at, lowestEpoch: 7 }).epoch).toBe(8)
  })

  it('names of properties of Object.prototype are valid product ids and scopes', () => {
    const odd = { constructor: ['__proto__'] }
    const record = nextRecord({ ...before, products: odd }, {}, at)
    expect(record.withdrawn.at(-1)).toEqual({ scope: '__proto__', below: 4, until: 5000 })
    expect(nextRecord({ ...before, products: {} }, odd, at).epoch).toBe(3)
  })
})

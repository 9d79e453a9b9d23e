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

describe('the record of what products give', () => {
  it('begins with nothing withdrawn', () => {
    expect(nextRecord(undefined, { a: ['a:read'] }, at)).toEqual({
      version: 'g2',
      epoch: 0,
      products: { a: ['a:read'] },
      withdrawn: [],
    })
  })

  it('keeps its epoch, and what was withdrawn and tokens may still carry, where something is added', () => {
    const products = { ...before.products, c: ['c:read'] }
    expect(nextRecord(before, products, at)).toEqual({
      version: 'g2',
      epoch: 3,
      products,
      withdrawn: [{ scope: 'kept', below: 3, until: 1001 }],
    })
  })

  it('has one epoch more where something leaves, also where another product still gives it', () => {
    expect(nextRecord(before, { a: ['a:read'], b: ['shared'] }, at)).toMatchObject({
      epoch: 4,
      withdrawn: [
        { scope: 'kept', below: 3, until: 1001 },
        { scope: 'shared', below: 4, until: 5000 },
      ],
    })
  })

  it('names each operation once, by the latest epoch and the latest end', () => {
    const again = { ...before, withdrawn: [{ scope: 'shared', below: 2, until: 9000 }] }
    expect(nextRecord(again, {}, at)).toMatchObject({
      epoch: 4,
      withdrawn: [
        { scope: 'a:read', below: 4, until: 5000 },
        { scope: 'shared', below: 4, until: 9000 },
      ],
    })
  })

  it('does not fall below the epoch that is known, though it be lost', () => {
    expect(nextRecord(undefined, {}, { ...at, lowestEpoch: 7 }).epoch).toBe(7)
    expect(nextRecord(before, before.products, { ...at, lowestEpoch: 7 }).epoch).toBe(7)
    expect(nextRecord(before, {}, { ...at, lowestEpoch: 7 }).epoch).toBe(8)
  })

  it('does not mistake names that every object has for products', () => {
    const odd = { constructor: ['__proto__'] }
    const record = nextRecord({ ...before, products: odd }, {}, at)
    expect(record.withdrawn.at(-1)).toEqual({ scope: '__proto__', below: 4, until: 5000 })
    expect(nextRecord({ ...before, products: {} }, odd, at).epoch).toBe(3)
  })
})

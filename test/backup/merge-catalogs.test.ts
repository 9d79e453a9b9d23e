import { describe, expect, test } from 'vitest'
import type { CatalogRecord } from '../../src/catalog/sync/catalog-record.ts'
import { mergeCatalogs } from '../../src/backup/merge-catalogs.ts'

const NOW = 1_900_000_000
const at = { version: 'merged', now: NOW, until: NOW + 864_000 }

function record(parts: Partial<CatalogRecord> = {}): CatalogRecord {
  return { version: 'g', epoch: 0, products: { invoices: ['read', 'create'] }, withdrawn: [], ...parts }
}

describe('what products give, with tokens of another store', () => {
  test('the same is nothing new', () => {
    expect(mergeCatalogs(record(), record(), at)).toBeUndefined()
    expect(mergeCatalogs(record({ epoch: 2 }), record({ epoch: 1 }), at)).toBeUndefined()
    const more = { invoices: ['read', 'create', 'delete'] }
    expect(mergeCatalogs(record({ products: more }), record(), at)).toBeUndefined()
  })

  test('the epoch is not below that of any token', () => {
    expect(mergeCatalogs(record(), record({ epoch: 7 }), at)).toEqual(record({ version: 'merged', epoch: 7 }))
  })

  test('what is not given here is withdrawn, with an epoch above those of all tokens', () => {
    const own = record({ products: { invoices: ['read'] }, epoch: 1 })
    const merged = mergeCatalogs(own, record({ epoch: 4 }), at)
    expect(merged).toEqual({
      ...own,
      version: 'merged',
      epoch: 5,
      withdrawn: [{ scope: 'create', below: 5, until: at.until }],
    })
    // Once.
    expect(mergeCatalogs(merged!, record({ epoch: 4 }), at)).toBeUndefined()
    // And again where it was given again there since.
    expect(mergeCatalogs(merged!, record({ epoch: 6 }), at)).toMatchObject({
      epoch: 7,
      withdrawn: [{ scope: 'create', below: 7 }],
    })
  })

  test('what was withdrawn there stays so, unless it is over', () => {
    const withdrawn = [
      { scope: 'pay', below: 3, until: NOW + 50 },
      { scope: 'old', below: 2, until: NOW - 50 },
      { scope: 'list', below: 1, until: NOW + 9 },
    ]
    const own = record({ withdrawn: [{ scope: 'list', below: 2, until: NOW + 5 }] })
    const merged = mergeCatalogs(own, record({ epoch: 3, withdrawn }), at)
    expect(merged).toMatchObject({
      epoch: 3,
      withdrawn: [
        { scope: 'list', below: 2, until: NOW + 9 },
        { scope: 'pay', below: 3, until: NOW + 50 },
      ],
    })
    expect(mergeCatalogs(merged!, record({ epoch: 3, withdrawn }), at)).toBeUndefined()
  })
})

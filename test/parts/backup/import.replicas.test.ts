import { beforeEach, expect, it } from 'vitest'
import { hashSecret, type Store } from 'koa-gatehouse'
import { noCounts, type Counts } from '../../../src/parts/backup/import-record.ts'
import type { Section } from '../../../src/parts/backup/section.ts'
import { clientSection } from '../../../src/parts/backup/clients.ts'
import { deletedClientSection } from '../../../src/parts/backup/create-sections.ts'
import { catalogSection } from '../../../src/parts/backup/catalog.ts'
import { replicatedStore, type ReplicatedStore } from '../../support/replicated-store.ts'

const TOO_FEW = 'too few replicas have it'

const key = {
  kind: 'apiKey',
  clientId: 'key_1',
  accountId: 'acme',
  name: 'Nightly',
  products: ['invoices'],
  removedOperations: [],
  disabled: false,
  epoch: 0,
  createdAt: 1_700_000_000,
  resourceServer: false,
}

/** For each section of an export file: the fields of one line, and the store key (`at`) that importing this line writes. */
const SECTIONS: Record<
  string,
  { open: (store: Store) => Section; fields: Record<string, unknown>; at: string }
> = {
  'an API key': {
    open: clientSection,
    fields: {
      record: {
        v: 1,
        client: key,
        secrets: [{ hash: hashSecret('a secret for tests'), createdAt: 1_700_000_000 }],
        listedAt: 1_700_000_000_000,
      },
    },
    at: 'client:key_1',
  },
  'the id of a deleted client': {
    open: deletedClientSection,
    fields: {
      clientId: 'key_1',
      record: { v: 1, deleted: true, kind: 'apiKey', epoch: 3, deletedAt: 1_700_000_000 },
    },
    at: 'client:key_1',
  },
  'the catalog': {
    open: catalogSection,
    fields: {
      record: {
        v: 1,
        version: 'one',
        epoch: 1,
        products: { invoices: ['invoices:read'] },
        withdrawn: [],
      },
    },
    at: 'catalog:products',
  },
}

let db: ReplicatedStore
let counts: Counts
beforeEach(() => {
  db = replicatedStore()
  counts = noCounts()
})

it.each(Object.entries(SECTIONS))(
  'importing %s rejects, even if it is repeated, until enough replicas have the record',
  async (_what, { open, fields, at }) => {
    const put = await open(db.durable).parseLine(fields, 2)
    for (let times = 0; times < 3; times += 1) {
      // Replication stops when the record under `at` is written. The index entries, which are written before,
      // are replicated each time.
      db.replicates = true
      db.lagFrom(at)
      await expect(put(counts)).rejects.toThrow(TOO_FEW)
      expect(await db.store.get(at)).toBeDefined()
    }
    expect(counts.unchanged).toBe(0)
    db.replicates = true
    const written = await db.store.get(at)
    await put(counts)
    expect(counts).toMatchObject({ unchanged: 1, conflicts: new Set() })
    db.failOver()
    expect(await db.store.get(at)).toBe(written)
  },
)

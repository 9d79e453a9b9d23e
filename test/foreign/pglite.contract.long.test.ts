import { describe, expect, it } from 'vitest'
import { storeContract } from '../../src/testing/index.ts'
import { elapse } from '../adapters/real-time.ts'
import { breakConnection, createStore, database } from './pglite-store.ts'

// Long, because the statements are those of PostgreSQL, on which `npm run test:all` runs the contract.
describe('PostgreSQL in the process (PGlite)', () => {
  // One after the other: with one connection, a case would otherwise wait for all the others.
  describe('the store contract on PGlite', () => {
    for (const { name, run } of storeContract({ createStore, elapse, breakConnection })) it(name, run)
  })

  it('the contract suite leaves no unexpired data in PGlite', async () => {
    for (const table of ['value', 'index', 'member']) {
      const isLive = table === 'member' ? 'true' : 'expires_at > clock_timestamp()'
      const { rows } = await database.query(`select * from gatehouse.${table} where ${isLive} limit 1`)
      expect(rows, table).toEqual([])
    }
  })
})

// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { countChanges } from '../support/count-changes.ts'
import { describeEachStore } from '../support/stores.ts'

/** The most writes of a change, and its most round trips before the answer. */
const MOST: Readonly<Record<string, readonly [writes: number, roundTrips: number]>> = {
  'create an API key': [11, 5],
  'create an application': [11, 5],
  rename: [10, 7],
  'change the allowed addresses': [12, 8],
  'set an earlier expiry': [13, 9],
  'set limits': [10, 7],
  'change the redirect URIs': [10, 7],
  'hand over': [12, 8],
  'remove an operation': [12, 8],
  'remove a product': [12, 8],
  'add a product': [10, 7],
  'rotate the secret': [10, 7],
  'set a secret that exists': [11, 8],
  disable: [12, 8],
  'revoke the tokens': [12, 8],
  'report the secret as leaked': [13, 9],
  delete: [18, 10],
}

describeEachStore('a change', (makeStore) => {
  it('makes no more writes of the store, and waits for no more round trips, than this table says', async () => {
    const counts = await countChanges(() => makeStore(randomUUID()))
    const over = [...counts].flatMap(([name, { writes, roundTripsBeforeAnswer, roundTrips }]) => {
      const [mostWrites, mostTrips] = MOST[name] ?? [0, 0]
      const isOver = writes > mostWrites || roundTripsBeforeAnswer > mostTrips
      return isOver ? [{ name, writes, roundTripsBeforeAnswer, roundTrips }] : []
    })
    expect(over).toEqual([])
    expect(counts.size).toBe(Object.keys(MOST).length)
  })
})

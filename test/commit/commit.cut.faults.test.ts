import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { clientRecords } from '../../src/clients/client-record.ts'
import { readAll } from '../audit/setup.ts'
import { services } from '../clients/setup.ts'
import { ACTOR, CLIENT_CHANGES, FIRST, type ClientChange } from '../support/changes.ts'
import { finishersOf, UNFINISHED } from '../support/commits.ts'
import { killableStore } from '../support/killable-store.ts'

/** More writes than any change makes. */
const MAX_WRITES = 40

/** When other processes finish what a killed process began, and when they have removed it from the list. */
const [ABANDONED_MS, OVER_MS] = [20_000, 660_000]

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Creates a client, whose tokens have the epoch 0. */
async function firstClient(store: Store, { creates, ofApplication }: ClientChange): Promise<string> {
  if (creates) return ''
  const { apiKeys, applications, settled } = services(store)
  const { clientId } = ofApplication
    ? (await applications.create(FIRST.application)).application
    : (await apiKeys.create(FIRST.apiKey)).apiKey
  await settled()
  return clientId
}

async function createdOf({ apiKeys, applications }: ReturnType<typeof services>): Promise<string> {
  const [key] = (await apiKeys.list()).items
  const [application] = (await applications.list()).items
  return (key ?? application)?.clientId ?? ''
}

/** What the store has, and what another process knows, after it has finished the changes of the killed one. */
async function finishedOn(store: Store, change: ClientChange, id: string) {
  const process = services(store)
  const finishers = finishersOf(process.clientTokens.revocationsOf)
  for (const ms of [ABANDONED_MS, OVER_MS]) {
    vi.setSystemTime(Date.now() + ms)
    await process.commits.finishAll(finishers)
    await process.audit.resume()
  }
  await process.audit.settled()
  const clientId = id || (await createdOf(process))
  const stored = clientId ? await clientRecords(store).get(clientId) : undefined
  const newcomer = services(store)
  for await (const page of newcomer.log.inForce()) newcomer.set.add(page)
  const token = { tokenId: 't', clientId, scopes: [], keyId: 'k', expiresAt: 4_000_000_000 }
  return {
    isMade: change.isMade(stored as Parameters<ClientChange['isMade']>[0]),
    outbox: stored?.audit,
    entries: (await readAll(process.audit)).filter(({ entry }) => entry.actor === ACTOR).length,
    isRevoked: newcomer.set.isTokenRevoked({ ...token, claims: { access_epoch: 0 } }),
    unfinished: await store.range(UNFINISHED, { limit: 10 }),
  }
}

describe.each(CLIENT_CHANGES)('a process that stops while it makes a change: $name', (change) => {
  it.each([
    ['before', false],
    ['after', true],
  ])(
    '%s any of its writes leaves the change undone, or done with one entry and its revocation',
    async (_, isWritten) => {
      const outcomes = new Set<boolean>()
      for (let at = 0; at < MAX_WRITES; at += 1) {
        const store = memoryStore()
        const id = await firstClient(store, change)
        const killable = killableStore(store)
        const process = services(killable.store)
        killable.killAt(at, isWritten)
        await change.make(process, id).catch(() => {})
        await process.audit.settled()
        const { isMade, ...left } = await finishedOn(store, change, id)
        expect(left, `write ${at}`).toEqual({
          outbox: undefined,
          entries: isMade ? 1 : 0,
          isRevoked: isMade && change.revokes === true,
          unfinished: [],
        })
        outcomes.add(isMade)
        if (!killable.isKilled) {
          expect(outcomes).toEqual(new Set([false, true]))
          return
        }
      }
      throw new Error(`the process was stopped at each of ${MAX_WRITES} writes`)
    },
  )
})

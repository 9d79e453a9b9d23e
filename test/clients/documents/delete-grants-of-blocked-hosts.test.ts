import { afterEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { createBlockedHosts, hostRecords, restoreHost } from '../../../src/clients/documents/blocked-hosts.ts'
import { createClearing } from '../../../src/clients/documents/delete-grants-of-blocked-hosts.ts'
import { GatehouseError } from '../../../src/errors.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { commitsOf, finishersOf, UNFINISHED } from '../../support/commits.ts'

const HOST = 'claude.ai'
const ORIGIN = `https://${HOST}`

afterEach(() => void vi.useRealTimers())

/** One process. `people` have approved a client of the host; it takes long to revoke a grant while `isSlow`. */
function processOn(store: Store, people = new Set(['alice'])) {
  const commits = commitsOf(store)
  const revoked: string[] = []
  let release = () => {}
  const process = { isSlow: false, revoked, release: () => release() }
  const documents = {
    allOfOrigin: async () => [`${ORIGIN}/client.json`],
    users: async () => [...people],
    removeUser: async (_: string, subject: string) => void people.delete(subject),
  }
  const clearing = createClearing({
    hosts: hostRecords(store),
    documents,
    commits,
    logger: silentLogger,
    async revokeGrants({ accountId }) {
      revoked.push(accountId)
      if (process.isSlow) await new Promise<void>((resolve) => (release = resolve))
      return { errors: [] }
    },
  })
  const finishers = { ...finishersOf(async () => []), host: clearing.finish }
  return Object.assign(process, {
    commits,
    ...createBlockedHosts({ store, commits, clear: clearing.begin }),
    finishAll: () => commits.finishAll(finishers),
  })
}

const hostOn = (store: Store) => hostRecords(store).get(ORIGIN)
const later = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

it('another process deletes the grants, and does not wait for it, if the one that blocked the host stops', async () => {
  const store = memoryStore()
  const stopped = createBlockedHosts({ store, commits: commitsOf(store), clear: () => {} })
  await stopped.block(HOST)
  const other = processOn(store)
  other.isSlow = true
  later(20_000)
  await other.finishAll()
  await vi.waitFor(() => expect(other.revoked).toEqual(['alice']))
  expect(await hostOn(store)).toMatchObject({ isClearing: true })
  // The same process does not begin again.
  later(60_000)
  await other.finishAll()
  expect(other.revoked).toEqual(['alice'])
  other.release()
  await vi.waitFor(async () => expect(await hostOn(store)).toMatchObject({ isClearing: false }))
  later(660_000)
  await other.finishAll()
  expect(await store.range(UNFINISHED, { limit: 10 })).toEqual([])
})

it('a host that is blocked again by an import, while its grants are deleted, does not stay so for good', async () => {
  const store = memoryStore()
  const here = processOn(store)
  here.isSlow = true
  await here.block(HOST)
  await vi.waitFor(() => expect(here.revoked).toEqual(['alice']))
  await restoreHost(
    { store, commits: here.commits },
    { origin: ORIGIN, epoch: 5, isBlocked: false, blockedAt: 1 },
  )
  here.release()
  await vi.waitFor(async () => expect(await hostOn(store)).toMatchObject({ epoch: 5, isClearing: false }))
  await here.unblock(HOST)
})

it('a block that could not be listed, by a process that stopped, is finished by who wants to unblock the host', async () => {
  const store = memoryStore()
  const add: Store['add'] = async (...args) => {
    if (args[0] === UNFINISHED) throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'its server is away')
    return store.add(...args)
  }
  const partly = { ...store, add }
  await createBlockedHosts({ store: partly, commits: commitsOf(partly), clear: () => {} }).block(HOST)
  const other = processOn(store)
  await expect(other.unblock(HOST)).rejects.toMatchObject({ code: 'ERR_IN_PROGRESS' })
  await vi.waitFor(async () => expect(await hostOn(store)).toMatchObject({ isClearing: false }))
  expect(other.revoked).toEqual(['alice'])
  await other.unblock(HOST)
  expect(await hostOn(store)).toMatchObject({ isBlocked: false })
})

import { afterEach, expect, it, vi } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createClientCache } from '../../src/clients/client-cache.ts'
import { hasSecret } from '../support/secrets.ts'
import { pausingStore } from '../support/pausing-store.ts'
import { services, watched } from './setup.ts'

type Options = Partial<Parameters<typeof createClientCache>[0]>

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** Starts a process with a client cache that is subscribed to messages about changed clients. */
async function start(inner = memoryStore(), options: Options = {}) {
  const pausing = pausingStore(inner)
  const { store, calls } = watched(pausing.store)
  let now = 0
  const warn = vi.fn<(details: object, message: string) => void>()
  const cached = createClientCache({
    store,
    logger: { ...silentLogger, warn },
    now: () => now,
    ...options,
  })
  const leave = await cached.follow()
  closing.push(leave)
  return {
    ...cached,
    pauseAfter: pausing.pauseAfter,
    leave,
    warn,
    /** The ids of the clients that were read from the store since the last call of `asked()`. */
    asked: () => {
      const ids = calls.filter(({ method }) => method === 'get').map(({ args }) => String(args[0]).slice(7))
      calls.length = 0
      return ids
    },
    elapse: (ms: number) => void (now += ms),
  }
}

/** Resolves after pending messages have arrived. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

async function withClients(count: number) {
  const store = memoryStore()
  const { apiKeys } = services(store)
  const ids = Array.from({ length: count }, (_, index) => `key${index}`)
  for (const clientId of ids) await apiKeys.create({ accountId: 'acme', name: 'Key', clientId })
  return { store, apiKeys, ids }
}

it('concurrent lookups of one client make a single read of the store', async () => {
  const { store } = await withClients(1)
  const { find, asked } = await start(store)
  const found = await Promise.all(Array.from({ length: 100 }, () => find('key0')))
  expect(new Set(found).size).toBe(1)
  expect(found[0]).toMatchObject({ clientId: 'key0', accountId: 'acme' })
  await find('key0')
  expect(asked()).toEqual(['key0'])
})

it('the secrets of a cached client are verified without a read, and an expired secret is rejected', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1e12 })
  const { apiKeys, store } = await withClients(0)
  const { clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'Key', clientId: 'key' })
  const rotated = await apiKeys.rotateSecret('key', { overlapSeconds: 5 })
  const { find, asked } = await start(store)
  const verify = async (secret: string) => {
    const client = await find('key')
    return client && hasSecret(client, secret)
  }
  expect([await verify(clientSecret), await verify(rotated.clientSecret), await verify('other')]).toEqual([
    true,
    true,
    false,
  ])
  vi.setSystemTime(1e12 + 5000)
  expect([await verify(clientSecret), await verify(rotated.clientSecret)]).toEqual([false, true])
  expect(asked()).toEqual(['key'])
})

it('a missing client is never cached, so a new client is found immediately, and invented ids use no memory', async () => {
  const { store, apiKeys } = await withClients(0)
  const { find, asked } = await start(store, { maxClients: 1 })
  await apiKeys.create({ accountId: 'acme', name: 'Key', clientId: 'known' })
  await find('known')
  expect(await find('late')).toBeUndefined()
  expect(await find('late')).toBeUndefined()
  expect(asked()).toEqual(['known', 'late', 'late'])
  await find('known')
  expect(asked()).toEqual([])
  await apiKeys.create({ accountId: 'acme', name: 'Key', clientId: 'late' })
  expect(await find('late')).toMatchObject({ clientId: 'late' })
})

it('the client cache has a bounded size and drops the least recently used client', async () => {
  const { store, ids } = await withClients(3)
  const { find, asked } = await start(store, { maxClients: 2 })
  for (const id of ids.slice(0, 2)) await find(id)
  await find('key0')
  await find('key2')
  asked()
  for (const id of ['key0', 'key2', 'key1']) await find(id)
  expect(asked()).toEqual(['key1'])
})

it('a cached client is read again after ten seconds, in case a message was lost', async () => {
  const { store, apiKeys } = await withClients(1)
  const { find, asked, elapse } = await start(store)
  await find('key0')
  await apiKeys.update('key0', { name: 'New' })
  elapse(9999)
  // The client is cached. Otherwise the next assertions would prove nothing.
  expect(await find('key0')).toMatchObject({ name: 'Key' })
  elapse(1)
  expect(await find('key0')).toMatchObject({ name: 'New' })
  expect(asked()).toEqual(['key0', 'key0'])
})

it('the age of a cached client counts from the beginning of its read', async () => {
  const { store } = await withClients(1)
  const { find, asked, elapse, pauseAfter } = await start(store)
  const { reached, end } = pauseAfter('get client')
  const found = find('key0')
  await reached
  elapse(9000)
  end()
  await found
  elapse(999)
  await find('key0')
  expect(asked()).toEqual(['key0'])
  elapse(1)
  await find('key0')
  expect(asked()).toEqual(['key0'])
})

it('a change drops the cached client immediately in its own process, and in another process when the message arrives', async () => {
  const { store, apiKeys } = await withClients(2)
  const [one, other] = [await start(store), await start(store)]
  for (const { find } of [one, other]) for (const id of ['key0', 'key1']) await find(id)
  await apiKeys.update('key0', { name: 'New' })
  const notified = one.changed('key0')
  expect(await one.find('key0')).toMatchObject({ name: 'New' })
  await notified
  await settled()
  for (const { asked } of [one, other]) asked()
  expect(await other.find('key0')).toMatchObject({ name: 'New' })
  expect(other.asked()).toEqual(['key0'])
  // The unchanged client stays cached.
  for (const { find } of [one, other]) await find('key1')
  expect([one.asked(), other.asked()]).toEqual([[], []])
})

it.each(['changed in this process', 'changed in another process', 'messages may have been missed'])(
  'a read of a client that becomes outdated before the read ends is neither cached nor shared: %s',
  async (how) => {
    const { store, apiKeys } = await withClients(1)
    let miss = () => {}
    const process = await start({
      ...store,
      subscribe(channel, listener, missed = () => {}) {
        miss = missed
        return store.subscribe(channel, listener, missed)
      },
    })
    const { reached, end } = process.pauseAfter('get client')
    const before = process.find('key0')
    await reached
    await apiKeys.update('key0', { name: 'New' })
    if (how === 'changed in this process') await process.changed('key0')
    else if (how === 'messages may have been missed') miss()
    else await (await start(store)).changed('key0')
    await settled()
    expect(await process.find('key0')).toMatchObject({ name: 'New' })
    end()
    expect(await before).toMatchObject({ name: 'Key' })
    expect(await process.find('key0')).toMatchObject({ name: 'New' })
  },
)

it('the client cache is cleared when messages may have been missed', async () => {
  const { store, ids } = await withClients(2)
  let miss = () => {}
  const { find, asked } = await start({
    ...store,
    subscribe(channel, listener, missed = () => {}) {
      miss = missed
      return store.subscribe(channel, listener)
    },
  })
  for (const id of ids) await find(id)
  asked()
  miss()
  for (const id of ids) await find(id)
  expect(asked()).toEqual(ids)
})

it('no client is cached before the subscription to changes begins, or after the subscription has ended', async () => {
  const { store } = await withClients(1)
  const { find, leave, follow, asked } = await start(store)
  await find('key0')
  await leave()
  await find('key0')
  await find('key0')
  expect(asked()).toEqual(['key0', 'key0', 'key0'])
  await follow()
  await find('key0')
  await find('key0')
  expect(asked()).toEqual(['key0'])
})

it('changed() resolves even if its message cannot be sent, and the warning names only the client id', async () => {
  const { store } = await withClients(1)
  const failure = new Error('connection lost')
  const { changed, find, asked, warn } = await start({ ...store, publish: () => Promise.reject(failure) })
  await find('key0')
  asked()
  await expect(changed('key0')).resolves.toBeUndefined()
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { err: failure, clientId: 'key0' },
    expect.stringContaining('within seconds'),
  )
  await find('key0')
  expect(asked()).toEqual(['key0'])
})

it('an error of the store rejects all concurrent lookups of a client and is not cached', async () => {
  const { store } = await withClients(1)
  let isAway = true
  const { find } = await start({
    ...store,
    get: (key) => (isAway ? Promise.reject(new Error('away')) : store.get(key)),
  })
  const both = await Promise.allSettled([find('key0'), find('key0')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  expect(await find('key0')).toMatchObject({ clientId: 'key0' })
})

it('refetching an outdated client makes one read for all callers', async () => {
  const { store, apiKeys } = await withClients(1)
  const { find, refetch, asked } = await start(store)
  const outdated = await find('key0')
  if (!outdated) throw new Error('the client was not found')
  await apiKeys.update('key0', { name: 'New' })
  asked()
  const found = await Promise.all([refetch(outdated), refetch(outdated), refetch(outdated)])
  for (const client of found) expect(client).toMatchObject({ name: 'New' })
  await refetch(outdated)
  expect(asked()).toEqual(['key0'])
})

it('a cached client is frozen', async () => {
  const { store } = await withClients(1)
  const { find } = await start(store)
  const found = await find('key0')
  expect(() => Object.assign(found ?? {}, { epoch: 7 })).toThrow(TypeError)
  expect(await find('key0')).toMatchObject({ epoch: 0 })
})

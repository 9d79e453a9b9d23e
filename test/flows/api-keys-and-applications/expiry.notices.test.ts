// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import type { GatehouseEvents, Store } from 'koa-gatehouse'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { createExpiryNotices } from '../../../src/clients/expiry-notices.ts'
import { internalsOf } from '../../../src/gatehouse/internals.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const DAY = 86_400
const nowSeconds = () => Math.floor(Date.now() / 1000)
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/** Moves the clock of this process to just after a second. */
function moveTo(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(seconds * 1000 + 20)
}

describeEachStore('the notices of an expiry', (makeStore) => {
  const started: Host[] = []
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(started.splice(0).map((each) => each.close()))
  })

  /** Processes on one store. Each gives notices only when the test says so, at a time of the test. */
  async function fleet(count: number, store: (data: string) => Store = makeStore) {
    const data = randomUUID()
    let clock: number | undefined
    const given: [string, string, number | undefined][] = []
    const processes = await Promise.all(
      Array.from({ length: count }, async () => {
        const host = await startHost({ store: store(data) })
        started.push(host)
        await host.gatehouse.ready()
        for (const name of ['client.expiring', 'client.expired'] as const)
          host.gatehouse.on(name, (event: GatehouseEvents['client.expired'] & { days?: number }) =>
            given.push([name, event.clientId, event.days]),
          )
        const parts = internalsOf(host.gatehouse, 'a test')
        const notices = createExpiryNotices({
          ...parts,
          clientChanged: async () => {},
          storeClock: { now: () => clock ?? Date.now() },
        })
        return { ...host, giveDue: notices.giveDue }
      }),
    )
    const give = (at: number) => {
      clock = at * 1000
      return Promise.all(processes.map(({ giveDue }) => giveDue()))
    }
    return { processes, give, given }
  }

  /** The notices about a client in the audit trail. */
  async function noticesOf({ gatehouse }: Host, clientId: string) {
    const { items } = await gatehouse.audit.list({ clientId })
    return items
      .filter(({ name }) => name.startsWith('client.expir'))
      .map(({ name, target }) => [name, target])
  }

  it('come 30, 7 and 1 days ahead and at the end, each once in a fleet', async () => {
    const { processes, give, given } = await fleet(3)
    const { gatehouse } = processes[0]!
    const expiresAt = nowSeconds() + 40 * DAY
    const { application } = await gatehouse.applications.create({ accountId: 'acme', name: 'App', expiresAt })
    const id = application.clientId
    const expected: typeof given = []
    await give(expiresAt - 31 * DAY)
    expect(given).toEqual([])
    for (const days of [30, 7, 1] as const) {
      expected.push(['client.expiring', id, days])
      for (let times = 0; times < 3; times += 1) {
        await give(expiresAt - days * DAY + times)
        expect(given).toEqual(expected)
      }
    }
    expected.push(['client.expired', id, undefined])
    await give(expiresAt)
    await give(expiresAt + 100 * DAY)
    expect(given).toEqual(expected)
    const target = isoOf(expiresAt)
    // The clock of the audit trail did not move, so it counts the second and third notice as equal to the first.
    const found = await noticesOf(processes[0]!, id)
    expect(found).toContainEqual(['client.expired', target])
    expect(found).toContainEqual(['client.expiring', target])
  })

  it('that were missed are replaced by the last of them', async () => {
    const { processes, give, given } = await fleet(2)
    const { gatehouse } = processes[0]!
    const expiresAt = nowSeconds() + 40 * DAY
    const { apiKey } = await gatehouse.apiKeys.create({ accountId: 'acme', name: 'Key', expiresAt })
    await give(expiresAt - 3 * DAY)
    expect(given).toEqual([['client.expiring', apiKey.clientId, 7]])
    await give(expiresAt + 5 * DAY)
    expect(given.slice(1)).toEqual([['client.expired', apiKey.clientId, undefined]])
  })

  it('that lay in the past when the expiry was set are not given', async () => {
    const { processes, give, given } = await fleet(1)
    const { gatehouse } = processes[0]!
    const now = nowSeconds()
    const { apiKey } = await gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Key',
      expiresAt: now + 5 * DAY,
    })
    await give(now + 1)
    expect(given).toEqual([])
    await give(now + 4 * DAY)
    expect(given).toEqual([['client.expiring', apiKey.clientId, 1]])
  })

  it('follow an expiry that is moved, removed, or of a client that is deleted', async () => {
    const { processes, give, given } = await fleet(2)
    const { apiKeys } = processes[0]!.gatehouse
    const now = nowSeconds()
    const create = async () => {
      const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key', expiresAt: now + 40 * DAY })
      return apiKey.clientId
    }
    const [later, earlier, never, deleted] = [await create(), await create(), await create(), await create()]
    await apiKeys.update(later, { expiresAt: now + 100 * DAY })
    await apiKeys.update(earlier, { expiresAt: now + 20 * DAY })
    await apiKeys.update(never, { expiresAt: null })
    await apiKeys.delete(deleted)
    await give(now + 12 * DAY)
    expect(given).toEqual([])
    await give(now + 14 * DAY)
    expect(given).toEqual([['client.expiring', earlier, 7]])
    await give(now + 50 * DAY)
    expect(given.slice(1)).toEqual([['client.expired', earlier, undefined]])
    await give(now + 71 * DAY)
    expect(given.slice(2)).toEqual([['client.expiring', later, 30]])
    // A new expiry of an expired client is notified again.
    await apiKeys.update(earlier, { expiresAt: now + 90 * DAY })
    await give(now + 89.5 * DAY)
    expect(given.slice(3)).toEqual(expect.arrayContaining([['client.expiring', earlier, 1]]))
  })

  it('of a client that is not stored yet stay due for a minute, so that no notice of a slow creation is missed', async () => {
    const { processes, give } = await fleet(1)
    const { store } = internalsOf(processes[0]!.gatehouse, 'a test')
    const now = nowSeconds()
    await store.add('clients:expiry', `${now * 1000}:key_1`)
    await give(now + 59)
    expect(await store.range('clients:expiry', { limit: 10 })).toHaveLength(1)
    await give(now + 61)
    expect(await store.range('clients:expiry', { limit: 10 })).toEqual([])
  })

  it('that came due between an export and its import are given after the import', async () => {
    const { processes } = await fleet(1)
    const { gatehouse } = processes[0]!
    const expiresAt = nowSeconds() + 60
    const { apiKey } = await gatehouse.apiKeys.create({ accountId: 'acme', name: 'Key', expiresAt })
    const lines: string[] = []
    for await (const line of exportRegistry(gatehouse)) lines.push(line)
    moveTo(expiresAt)
    const restored = await fleet(1)
    await importRegistry(restored.processes[0]!.gatehouse, lines, { signingKeys: false })
    await restored.give(nowSeconds())
    expect(restored.given).toEqual([['client.expired', apiKey.clientId, undefined]])
  })
})

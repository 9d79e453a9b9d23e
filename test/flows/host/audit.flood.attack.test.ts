// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const FLOOD = 200
const PARALLEL = 5

describeEachStore('a flood of changes by one client', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => void (await Promise.all(hosts.splice(0).map((host) => host.close()))))

  async function start(data: string): Promise<Host> {
    const [first] = hosts
    const same = first && { issuer: first.issuer, audience: first.audience }
    const host = await startHost({
      store: makeStore(data),
      gatehouse: { maxRevocationsPerClient: FLOOD, ...same },
    })
    await host.gatehouse.ready()
    hosts.push(host)
    return host
  }

  /** Makes an API key of an account, and rotates its secret. */
  async function createKey({ gatehouse }: Host, accountId: string) {
    const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
      accountId,
      name: 'Key',
      products: ['invoices'],
    })
    await gatehouse.apiKeys.rotateSecret(apiKey.clientId, { actor: accountId })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }

  const listed = async ({ gatehouse }: Host, filter: object) =>
    (await gatehouse.audit.list({ ...filter, limit: 500 })).items

  const whatOf = (entries: readonly AuditEntry[]) => entries.map(({ name, change }) => change ?? name)

  it('of revocations at two processes is some entries with counts, so it pushes out no entries of others', async () => {
    const data = randomUUID()
    const processes = [await start(data), await start(data)] as const
    await createKey(processes[0], 'acme')
    await createKey(processes[0], 'bob')
    const thief = await createKey(processes[0], 'alice')
    for (let at = 0; at < FLOOD; at += PARALLEL) {
      const revoke = async (_: unknown, index: number) => {
        const host = processes[index % 2 === 0 ? 0 : 1]
        const { body } = await host.requestDirectToken(thief)
        const { status } = await host.post('/oauth2/revoke', {
          ...thief,
          token: String(body['access_token']),
        })
        expect(status).toBe(200)
      }
      await Promise.all(Array.from({ length: PARALLEL }, revoke))
    }
    await Promise.all(processes.map(({ gatehouse }) => gatehouse.close()))

    const later = await start(data)
    for (const accountId of ['acme', 'bob']) {
      expect(whatOf(await listed(later, { accountId }))).toEqual(['secret.rotated', 'client.created'])
    }
    const ofThief = await listed(later, { accountId: 'alice' })
    expect(whatOf(ofThief)).toEqual(expect.arrayContaining(['secret.rotated', 'client.created']))
    const revocations = ofThief.filter(({ name }) => name === 'token.revoked')
    // One entry and one count of each process and minute.
    expect(revocations.length).toBeLessThan(FLOOD / 20)
    expect(revocations.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(FLOOD)
    expect(await listed(later, { clientId: thief.client_id })).toEqual(ofThief)
    for (const { at, count, until } of revocations) {
      expect(count === undefined ? until : Number(until) >= at).toBe(count === undefined ? undefined : true)
    }
  })

  it('renames of one API key are one entry and one count, and a reader that goes on from its cursor misses nothing', async () => {
    const data = randomUUID()
    const host = await start(data)
    const { client_id } = await createKey(host, 'acme')
    const seen: AuditEntry[] = []
    let since: string | undefined
    async function readOn(from: Host) {
      for await (const { entry, cursor, missed } of from.gatehouse.audit.read({ since })) {
        expect(missed).toBeUndefined()
        seen.push(entry)
        since = cursor
      }
    }
    for (let at = 1; at <= 30; at += 1) {
      await host.gatehouse.apiKeys.update(
        client_id,
        { name: `Key ${at}` },
        { actor: 'acme', address: `192.0.2.${at}` },
      )
      if (at % 10 === 0) await readOn(host)
    }
    await host.gatehouse.close()
    await readOn(await start(data))
    expect(whatOf(seen)).toEqual(['client.created', 'secret.rotated', 'name', 'name'])
    expect(seen[2]).toMatchObject({ address: '192.0.2.1' })
    expect(seen[2]).not.toHaveProperty('count')
    // Renames within one millisecond have no order.
    const address = expect.stringMatching(/^192\.0\.2\.\d+$/)
    expect(seen[3]).toMatchObject({ address, count: 29, actor: 'acme', clientId: client_id })
  })
})

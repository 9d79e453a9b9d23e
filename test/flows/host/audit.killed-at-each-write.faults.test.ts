import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { kycLevels, products, reports } from '../../fixtures/products.ts'
import type { Page } from '../../support/browser.ts'
import { POLICY, VENDOR } from '../../support/client-document.ts'
import { asksFor, authorizationUrl, SECRET, signInAs, startHost, type Host } from '../../support/host.ts'
import { killableStore, type KillableStore } from '../../support/killable-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

/** Milliseconds after which a process has completed what a killed process began, and has removed it from its list. */
const RECOVERED_MS = 660_000

/** More writes than any of these changes makes. */
const MAX_WRITES = 100

type Options = Parameters<typeof startHost>[0]

describeEachStore('a process that is killed at each of its writes', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  async function start(options: Options): Promise<Host> {
    const host = await startHost(options)
    hosts.push(host)
    return host
  }

  /** Ends a process, so that the next one can listen on its port. */
  async function end(host: Host): Promise<void> {
    hosts.splice(hosts.indexOf(host), 1)
    await host.close()
  }

  /** Starts a process on the same data that completes what others began, because the recovery period is over. */
  async function startRecovered(data: string, options: Options): Promise<Host> {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + RECOVERED_MS })
    const store = makeStore(data)
    const host = await start({ ...options, store })
    await host.gatehouse.ready()
    await until(async () => expect(await store.range('changes:unfinished', { limit: 10 })).toEqual([]))
    return host
  }

  /** Runs a story for each of its writes, at which its process is killed, until the process outlives the story. */
  async function atEachWrite(story: (killable: KillableStore, data: string, at: number) => Promise<void>) {
    for (let at = 0; at < MAX_WRITES; at += 1) {
      const data = randomUUID()
      const killable = killableStore(makeStore(data))
      await story(killable, data, at)
      vi.useRealTimers()
      await Promise.all(hosts.splice(0).map((host) => host.close()))
      if (!killable.isKilled) return at
    }
    throw new Error(`the process was killed at each of ${MAX_WRITES} writes`)
  }

  const entriesOf = async ({ gatehouse }: Host, prefix: string): Promise<AuditEntry[]> =>
    (await gatehouse.audit.list({ limit: 500 })).items.filter(({ name }) => name.startsWith(prefix))
  const namesOf = (entries: readonly AuditEntry[]) => entries.map(({ name }) => name)

  it.each([
    ['approves', 'before'],
    ['approves', 'after'],
    ['denies', 'after'],
  ])(
    'while a person %s leaves no decision in force without its entry, if the browser goes on %s another process recovers',
    async (decision, order) => {
      const name = decision === 'approves' ? 'consent.approved' : 'consent.denied'
      const isDecided = ({ url: { searchParams } }: Page) =>
        decision === 'approves' ? searchParams.has('code') : searchParams.get('error') === 'access_denied'
      const outcomes = new Set<string>()
      await atEachWrite(async (killable, data, at) => {
        const first = await start({ store: killable.store })
        const client = await first.createApplication()
        const browser = first.browser()
        const url = authorizationUrl(first, client.client_id)
        const page = await signInAs(browser, await browser.open(url), 'alice')
        killable.killAt(at)
        const button: [string, string] = ['action', decision === 'approves' ? 'approve' : 'deny']
        const answer = await browser.submit(page, { action: /consent/, button })
        await end(first)

        /** Does what the browser and the application can do now. */
        async function goOn(host: Host): Promise<'in force' | 'asked again' | 'over'> {
          const address = page.url.href.replace('/interaction/', '/oauth2/authorize/')
          const next = isDecided(answer) ? answer : await browser.open(address)
          const { body } = await host.exchangeCode(client, next.url.searchParams.get('code') ?? '')
          const refreshed = await host.refresh(client, body['refresh_token'])
          const silent = authorizationUrl(host, client.client_id, { prompt: 'none' })
          const isRemembered = (await browser.open(silent)).url.searchParams.has('code')
          if (isDecided(next) || isRemembered || refreshed.status === 200) return 'in force'
          return asksFor(next) === 'consent' ? 'asked again' : 'over'
        }

        const same = { port: first.port }
        let outcome: string | undefined
        if (order === 'before') {
          const second = await start({ ...same, store: makeStore(data) })
          outcome = await goOn(second)
          await end(second)
        }
        const last = await startRecovered(data, same)
        const entries = await entriesOf(last, 'consent.')
        outcome ??= await goOn(last)
        if (outcome === 'in force') expect(namesOf(entries), `at ${at}`).toEqual([name])
        if (outcome === 'asked again' && order === 'after') expect(entries, `at ${at}`).toEqual([])
        const { items } = await last.gatehouse.grants.list({ accountId: 'alice' })
        for (const { grantId } of items) expect(entries, `at ${at}`).toMatchObject([{ grantId }])
        outcomes.add(outcome)
      })
      expect([...outcomes]).toEqual(expect.arrayContaining(['in force', 'asked again']))
    },
    180_000,
  )

  it('leaves no changed products in force without their entry', async () => {
    const writes = await atEachWrite(async (killable, data, at) => {
      const database = { products: { ...products } as object }
      const gatehouse = { kycLevels, products: async () => database.products as typeof products }
      const first = await start({ store: killable.store, gatehouse })
      await first.gatehouse.ready()
      database.products = {
        ...products,
        reports: {
          ...reports,
          operations: { 'reports:read': { route: 'GET /reports', title: 'Read reports' } },
        },
      }
      killable.killAt(at)
      await first.gatehouse.catalog.reload().catch(() => {})
      await end(first)

      const last = await startRecovered(data, { port: first.port, gatehouse })
      const key = await last.createApiKey(['reports'])
      const { body } = await last.requestDirectToken(key)
      expect((await last.call('GET /reports', String(body['access_token']))).status).toBe(200)
      expect(await entriesOf(last, 'catalog.'), `at ${at}`).toMatchObject([
        { added: ['reports/reports:read'] },
      ])
    })
    expect(writes).toBeGreaterThan(1)
  }, 180_000)

  it('leaves no signing key in force without its entry', async () => {
    const writes = await atEachWrite(async (killable, data, at) => {
      killable.killAt(at)
      const gatehouse = { secret: SECRET }
      const first = await start({ store: killable.store, gatehouse })
      await Promise.race([first.gatehouse.ready(), killable.killed]).catch(() => {})
      await end(first)

      const last = await startRecovered(data, { port: first.port, gatehouse })
      const { keys } = (await (await fetch(`${last.issuer}/oauth2/jwks`)).json()) as {
        keys: { kid: string }[]
      }
      expect(keys).not.toEqual([])
      const published = (await entriesOf(last, 'key.published')).map(({ keyId = '' }) => keyId)
      expect(published.toSorted(), `at ${at}`).toEqual(keys.map(({ kid }) => kid).toSorted())
    })
    expect(writes).toBeGreaterThan(1)
  }, 180_000)

  it('leaves no host of client documents unblocked without its entry', async () => {
    const outcomes = new Set<number>()
    await atEachWrite(async (killable, data, at) => {
      const gatehouse = { clientDocuments: [POLICY] }
      const first = await start({ store: killable.store, gatehouse })
      const { clientDocuments } = first.gatehouse
      await clientDocuments.block(VENDOR)
      await until(async () =>
        expect(await clientDocuments.listBlocked()).toMatchObject([{ isClearing: false }]),
      )
      killable.killAt(at)
      await clientDocuments.unblock(VENDOR, { actor: 'root' }).catch(() => {})
      await end(first)

      // Another process blocks the host again before the entry is recovered.
      const second = await start({ port: first.port, store: makeStore(data), gatehouse })
      const isUnblocked = (await second.gatehouse.clientDocuments.listBlocked()).length === 0
      await second.gatehouse.clientDocuments.block(VENDOR)
      await end(second)

      const last = await startRecovered(data, { port: first.port, gatehouse })
      const entries = await entriesOf(last, 'document_host.unblocked')
      expect(entries, `at ${at}`).toMatchObject(isUnblocked ? [{ target: VENDOR, actor: 'root' }] : [])
      outcomes.add(entries.length)
    })
    expect(outcomes).toEqual(new Set([0, 1]))
  }, 180_000)
})

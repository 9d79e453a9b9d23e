// Also runs on: Redis
import { afterEach, expect, it, vi } from 'vitest'
import type { Health, Logger, Store } from 'koa-gatehouse'
import { createGateway } from 'koa-gatehouse/gateway'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const issuersIn = ({ checks }: Health) =>
  checks.filter(({ name }) => name === 'issuer').map(({ status, message }) => `${status} ${message}`)

describeEachStore('services with different issuers on one store', (makeStore) => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  })

  async function start(store: Store, origin: string) {
    const lines: string[] = []
    const logger: Logger = { ...silentLogger, warn: (_, line) => void lines.push(line) }
    const host: Host = await startHost({ store, origin, gatehouse: { logger } })
    cleanups.push(host.close)
    await host.gatehouse.ready()
    return { host, lines }
  }

  it('a process that finds another issuer logs it once, and health() warns; the same issuer is no mistake', async () => {
    const data = crypto.randomUUID()
    await start(makeStore(data), 'https://example.com')
    const same = await start(makeStore(data), 'https://example.com')
    const staging = await start(makeStore(data), 'https://staging.example.com')
    const { gateway } = staging.host.gatehouse
    for (const each of [staging.host.gatehouse, gateway]) {
      await vi.waitFor(async () =>
        expect(issuersIn(await each.health())).toEqual([
          expect.stringMatching(/^warn .*: https:\/\/example\.com\/auth$/),
        ]),
      )
    }
    expect(staging.lines).toEqual([
      expect.stringContaining('a service with another issuer uses the same store'),
    ])
    expect([same.lines, issuersIn(await same.host.gatehouse.health())]).toEqual([[], []])
  })

  it('a gateway that reads the store of another service finds its issuer, and stores nothing', async () => {
    const store = makeStore(crypto.randomUUID())
    const { host } = await start(store, 'https://example.com')
    await vi.waitFor(async () => {
      const today = Math.floor(Date.now() / 86_400_000)
      expect(await store.range(`issuers:${today}`, { limit: 9 })).toEqual([host.issuer])
    })
    const add = vi.spyOn(store, 'add')
    const jwksUri = `http://localhost:${host.port}/auth/oauth2/jwks`
    for (const [origin, count] of [
      ['https://staging.example.com', 1],
      ['https://example.com', 0],
    ] as const) {
      const gateway = createGateway({
        issuer: `${origin}/auth`,
        audience: `${origin}/api`,
        jwksUri,
        products,
        revocations: { store },
      })
      cleanups.push(gateway.close)
      await gateway.ready()
      await vi.waitFor(async () => expect(issuersIn(await gateway.health())).toHaveLength(count))
    }
    expect(add).not.toHaveBeenCalled()
  })
})

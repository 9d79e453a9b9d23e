import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGrantLifecycle } from '../../../src/grants/grant-lifecycle.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startSlowStore, type SlowStore } from '../../support/round-trips.ts'
import { openSmallPage } from './open-small-page.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const APPLICATIONS = 1000
/** The newest applications have records. The other applications were deleted. */
const KNOWN = 40
/** Every tenth application has a second grant. */
const SECOND_GRANT_EVERY = 10
const DAY = 86_400
const PATH = '/console/connected-applications'

describeWithRedis('a user with 1000 connected applications', () => {
  let slow: SlowStore
  let host: ConsoleHost
  beforeAll(async () => {
    slow = await startSlowStore({ enableAutoPipelining: true })
    const { store } = slow
    host = await startConsole({ store, gatehouse: { storeTimeoutMs: 5000 } })
    const lifecycle = createGrantLifecycle(store, {
      refreshToken: 30 * DAY,
      delegatedAccessToken: 3600,
    })
    const versions = await lifecycle.consentVersions.current({ accountId: 'alice' }, 'x')
    const now = Math.floor(Date.now() / 1000)

    async function authorize(number: number, grantId: string): Promise<void> {
      const isKnown = number >= APPLICATIONS - KNOWN
      const clientId = isKnown
        ? (await host.createApplication({ name: `Application ${number}` })).client_id
        : `gone-${number}`
      const iat = now - (APPLICATIONS - number) * 60
      const resources = { [host.audience]: 'invoices:read payments:list' }
      const ids = number % SECOND_GRANT_EVERY === 0 ? [grantId, `${grantId}-second`] : [grantId]
      for (const id of ids) {
        const record = { accountId: 'alice', clientId, iat, exp: now + DAY, versions, resources }
        await lifecycle.records.create(id, record, DAY)
        await lifecycle.activate(id)
      }
    }

    const numbers = Array.from({ length: APPLICATIONS }, (_, number) => number)
    await Promise.all(numbers.map((number) => authorize(number, `grant-${number}`)))
  })
  afterAll(async () => {
    await host?.close()
    await slow?.close()
  })

  it('a page costs at most five round trips, and has at most 20 kB', async () => {
    const { body, trips } = await openSmallPage(host.visit('alice'), PATH, slow)
    expect(trips.length).toBeGreaterThan(0)
    expect(trips.length).toBeLessThanOrEqual(5)
    expect(body).toContain('Application 999')
  })

  it('all pages together show each application once, newest first', async () => {
    const visitor = host.visit('alice')
    const shown: string[] = []
    for (let path: string | undefined = PATH; path !== undefined;) {
      const { body } = await visitor.open(path)
      shown.push(
        ...[...body.matchAll(/confirm=disconnect&amp;application=([^"]+)"/g)].map(([, id = '']) => id),
      )
      path = /href="([^"]+)"\s+rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(shown).toHaveLength(APPLICATIONS)
    expect(new Set(shown).size).toBe(APPLICATIONS)
    expect(shown.at(-1)).toBe('gone-0')
  })
})

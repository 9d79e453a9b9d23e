// Also runs on: Redis
import fc from 'fast-check'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withoutFastPath } from '../../support/direct-access/without-fast-path.ts'
import { startHost, type Host } from '../../support/host.ts'
import { observe, scenario, USUAL } from '../../support/refresh/scenarios.ts'
import { describeEachStore } from '../../support/stores.ts'

/** `npm test` tries a few on each store, and the other projects of `npm run test:all` try more. */
const FEW = process.env['TEST_PROJECT'] === 'quick' ? 8 : 16
const SCENARIOS = Number(process.env['REFRESH_SCENARIOS'] ?? FEW)

describeEachStore('a refresh, whichever door answers it', (makeStore) => {
  const stores = [makeStore(), makeStore()] as const
  let hosts: readonly [Host, Host]
  let answeredByFastPath = 0

  beforeAll(async () => {
    const gatehouse = {
      publicApplications: true,
      refreshTokenGraceSeconds: 10,
      maxClientsPerAccount: 10_000,
    }
    const start = (at: 0 | 1) =>
      startHost({ store: stores[at], gatehouse, above: at === 0 ? [] : [withoutFastPath] })
    hosts = [await start(0), await start(1)]
    for (const { gatehouse: each } of hosts)
      each.on('token.issued', () => void (answeredByFastPath += Provider.ctx === undefined ? 1 : 0))
  })
  afterAll(() => Promise.all(hosts.map((host) => host.close())))

  it('has the same response, events, audit entries and records with and without the fast path', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (made) => {
        const [fast, slow] = [
          await observe(hosts[0], stores[0], made),
          await observe(hosts[1], stores[1], made),
        ]
        expect(fast).toEqual(slow)
      }),
      { numRuns: SCENARIOS, examples: [[USUAL]] },
    )
    expect(answeredByFastPath).toBeGreaterThan(0)
  })
})

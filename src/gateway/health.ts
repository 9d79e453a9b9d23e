import type { Health } from '../health/health.ts'
import { readHealth } from '../health/read-health.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { Readiness } from './readiness.ts'

/** The health of a gateway; see `Health`. */
export type GatewayHealth = Health

/** Reads the health. Waits until the gateway is ready, at most as long as a request does. Never rejects. */
export function readGatewayHealth(
  { check, storeHealth, revocations }: Pick<GatewayDependencies, 'check' | 'storeHealth' | 'revocations'>,
  readiness: Pick<Readiness, 'isReady' | 'soonReady' | 'state' | 'failure'>,
): Promise<GatewayHealth> {
  return readHealth({
    start: readiness,
    works: async () => readiness.isReady || readiness.soonReady(),
    storeHealth,
    check,
    revocations,
    isReady: ({ works }) => works && !revocations.mustReject,
  })
}

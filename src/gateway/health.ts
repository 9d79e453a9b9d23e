import type { Health } from '../health/health.ts'
import { readHealth } from '../health/read-health.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { Readiness } from './readiness.ts'

/** The health of a gateway; see `Health`. */
export type GatewayHealth = Health

/** Reads the health. Waits until the gateway is ready, at most as long as a request does. Never rejects. */
export function readGatewayHealth(
  {
    check,
    readStoreHealth,
    revocations,
  }: Pick<GatewayDependencies, 'check' | 'readStoreHealth' | 'revocations'>,
  readiness: Pick<Readiness, 'isReady' | 'soonReady' | 'state' | 'failure'>,
): Promise<GatewayHealth> {
  return readHealth({
    start: readiness,
    becomesUsable: async () => readiness.isReady || readiness.soonReady(),
    readStoreHealth,
    check,
    revocations,
    isReady: ({ isUsable }) => isUsable && !revocations.mustReject,
  })
}

import type { GatewayRevocations } from './dependencies.ts'
import type { Readiness } from './readiness.ts'

/** How a gateway is doing. Plain data; later versions may have more. */
export interface GatewayHealth {
  /** Whether calls with a good token are let through: all is there, and contact is not lost for too long. */
  readonly ready: boolean
  /** How well it is known which tokens were taken back. */
  readonly revocations: {
    /** Whether anybody tells this gateway; without, a token that was taken back is good here until it expires. */
    readonly followed: boolean
    /** Whether they cannot be heard of at the moment. */
    readonly lost: boolean
    /** Seconds since all of them were known; undefined where they never were. */
    readonly ageSeconds: number | undefined
    /** How many are in force. */
    readonly live: number
  }
}

/** Takes stock. Waits until the gateway is ready, at most as long as a request does. */
export async function readHealth(
  readiness: Pick<Readiness, 'isReady' | 'soonReady'>,
  revocations: GatewayRevocations,
): Promise<GatewayHealth> {
  const isReady = readiness.isReady || (await readiness.soonReady())
  const { contact, mustRefuse, size } = revocations
  return {
    ready: isReady && !mustRefuse,
    revocations: {
      followed: contact !== undefined,
      lost: contact?.isLost ?? false,
      ageSeconds: isReady ? contact?.ageSeconds : undefined,
      live: size,
    },
  }
}

import type { GatewayRevocations } from './dependencies.ts'

/** The view of a gateway without a source of revocations: every token is valid until it expires. */
export const noRevocations: GatewayRevocations = {
  isTokenRevoked: () => false,
  mustReject: false,
  freshness: undefined,
  size: 0,
  onAdded: () => () => {},
}

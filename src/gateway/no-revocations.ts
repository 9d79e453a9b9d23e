import type { GatewayRevocations } from './dependencies.ts'

/**
 * The revocations of a gateway without a source of revocations. Such a gateway accepts every verified token
 * until the token expires.
 */
export const noRevocations: GatewayRevocations = {
  isTokenRevoked: () => false,
  mustReject: false,
  freshness: undefined,
  size: 0,
  onAdded: () => () => {},
}

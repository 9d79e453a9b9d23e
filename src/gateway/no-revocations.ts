import type { GatewayRevocations } from './dependencies.ts'

/** Where nobody tells which tokens were taken back: they live until they expire. */
export const noRevocations: GatewayRevocations = {
  isRevoked: () => false,
  mustReject: false,
  contact: undefined,
  size: 0,
  onAdded: () => () => {},
}

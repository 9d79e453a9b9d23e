import type { GatewayRevocations } from './dependencies.ts'

/** Where nobody tells which tokens were taken back: they live until they expire. */
export const untoldRevocations: GatewayRevocations = {
  isRevoked: () => false,
  mustRefuse: false,
  contact: undefined,
  size: 0,
  onAdded: () => () => {},
}

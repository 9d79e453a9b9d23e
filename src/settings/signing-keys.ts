import type { GatehouseOptions, Settings } from '../options.ts'
import type { AddProblem } from './read-options.ts'

const DAY = 86_400

/** The option `signingKeys` with its defaults; what is wrong with it goes to `add`. */
export function resolveSigningKeys(
  _given: GatehouseOptions['signingKeys'],
  _add: AddProblem,
): Settings['signingKeys'] {
  return Object.freeze({ rotateAfterSeconds: 90 * DAY, publishAheadSeconds: DAY })
}

import { CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { GatehouseError } from '../errors.ts'
import { asRevocation, type Revocation } from './revocation.ts'

/** A revocation whose `until` is computed from the longest token lifetime if it is omitted. */
export type RevocationSpec = Revocation extends infer Each
  ? Each extends Revocation
    ? Omit<Each, 'until'> & { readonly until?: number | undefined }
    : never
  : never

/** `until` is rounded up to it. So a repeated revocation usually equals the first, and the log stores it only once. */
const HOUR_SECONDS = 3600

/**
 * Decides how long a revocation is kept: until the last token that it covers has expired on every clock. `byDefault`
 * is in epoch seconds, before it is rounded up. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for an invalid spec
 */
export function withUntil(spec: RevocationSpec, byDefault: number): Revocation {
  const until =
    spec.until === undefined
      ? Math.ceil((byDefault + CLOCK_SKEW_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS
      : spec.until + CLOCK_SKEW_SECONDS
  const revocation = asRevocation({ ...spec, until })
  if (revocation) return revocation
  const needs = 'a revocation needs an `id`, an operation needs `below`, and all numbers must be whole'
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `this cannot be revoked: ${needs}`)
}

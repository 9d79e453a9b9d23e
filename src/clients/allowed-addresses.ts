import { networkProblem } from '../http/allowed-networks.ts'
import { uniqueListOf, type Rule } from '../validation/rules.ts'
import type { Client } from './client.ts'

const MAX_NETWORKS = 20
/** Every token of the client carries the claim `allowed_networks`. */
const MAX_CLAIM_BYTES = 400

const listRule = uniqueListOf(
  (entry) =>
    typeof entry === 'string' ? networkProblem(entry) : { code: 'type', message: 'must be a text' },
  MAX_NETWORKS,
)

export const allowedAddressesRule: Rule = (value) => {
  const problem = listRule(value)
  if (problem !== undefined) return problem
  const length = (value as readonly string[]).join(' ').length
  if (length <= MAX_CLAIM_BYTES) return undefined
  return {
    code: 'too-long',
    message: `must have at most ${MAX_CLAIM_BYTES} characters in all, because every token carries them: use fewer or larger networks`,
    max: MAX_CLAIM_BYTES,
  }
}

/** From where a client may be used: the claim `allowed_networks`; undefined if from anywhere. */
export function networksClaim({
  allowedAddresses = [],
}: Pick<Client, 'allowedAddresses'>): string | undefined {
  return allowedAddresses.length === 0 ? undefined : allowedAddresses.join(' ')
}

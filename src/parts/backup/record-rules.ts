import {
  type Fields,
  hostIdRule,
  listOf,
  objectOf,
  optional,
  textRule,
  wholeNumber,
} from '../../validation/rules.ts'
import type { Client } from '../../clients/client.ts'
import { clientRuleOf, fileRules } from '../../clients/field-rules.ts'
import * as inFile from '../../clients/backup-rules.ts'
import { keysOf } from '../../clients/jwk-set.ts'
import { isConsistent, isPublicClient } from '../../clients/public-applications.ts'
import { isSecretHash } from '../../clients/stored-secrets.ts'

const SECRET: Fields = {
  hash: (value) =>
    isSecretHash(value) ? undefined : 'must be the hash of a secret: "sha256:" and 43 characters',
  createdAt: inFile.timeRule,
  expiresAt: optional(inFile.timeRule),
  shownTo: optional(hostIdRule),
  hint: optional(hostIdRule),
}

export const SECRET_FIELDS = Object.keys(SECRET)

const clientRule = clientRuleOf(fileRules)

function findInconsistency(client: Client): string | undefined {
  if (isPublicClient(client) && keysOf(client).length > 0) return 'must not be public and have keys'
  if (client.kind !== 'application' || isConsistent(client)) return undefined
  return 'must have addresses that fit its kind'
}

/** The rules for the record of a client in a file. */
export const CLIENT_RECORD: Fields = {
  deleted: (value) => (value === undefined ? undefined : 'must be absent'),
  client: (value) => clientRule(value) ?? findInconsistency(value as Client),
  // None after `reportCompromised`.
  secrets: (value) =>
    Array.isArray(value) && value.length > 2
      ? 'must be a list of at most two secrets'
      : listOf(objectOf(SECRET))(value),
  // Lists are sorted by this time, which is in milliseconds and has at most 13 digits.
  listedAt: wholeNumber(0, 9_999_999_999_999),
  partialRevocations: optional(objectOf({ since: inFile.countRule, scopes: inFile.listOf(textRule) })),
  noticed: optional(inFile.countRule),
}

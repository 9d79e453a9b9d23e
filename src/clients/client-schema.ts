import { isObject } from '../validation/predicates.ts'
import {
  countRule,
  type Fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Rule,
  textRule,
} from '../validation/rules.ts'
import type { Client } from './client.ts'
import { storedRules } from './field-rules.ts'

export const kindRule = oneOf('apiKey', 'application')

/** Stricter rules apply to clients from the host's own database, and to clients in an exported file. */
export function clientRuleOf(fieldsOf: (kind: Client['kind']) => Fields): Rule {
  const rules = { apiKey: objectOf(fieldsOf('apiKey')), application: objectOf(fieldsOf('application')) }
  return (value) => {
    const kind = isObject(value) ? value['kind'] : undefined
    if (kind === 'apiKey' || kind === 'application') return rules[kind](value)
    return objectOf({ kind: kindRule })(value)
  }
}

const deletedRule = objectOf({ deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: countRule })

const clientRule = clientRuleOf(storedRules)

/** The rule for the record under a client id: of a client with this id, or of a deleted client. */
export function clientRecordRule(clientId: string): Rule {
  const idRule = objectOf({ clientId: oneOf(clientId) })
  const existingRule = objectOf({
    client: (value) => idRule(value) ?? clientRule(value),
    secrets: listOf(
      objectOf({
        hash: textRule,
        createdAt: countRule,
        expiresAt: optional(countRule),
        shownTo: optional(textRule),
        hint: optional(textRule),
      }),
    ),
    listedAt: countRule,
    partialRevocations: optional(objectOf({ since: countRule, scopes: listOf(textRule) })),
    noticed: optional(countRule),
  })
  return (value) => deletedRule(value) && existingRule(value)
}

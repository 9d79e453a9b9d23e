import { isDeepStrictEqual } from 'node:util'
import type { ChangeOptions } from '../host/change-options.ts'
import { checkInput, type Fields } from '../validation/rules.ts'
import { type ClientRepository } from './client-repository.ts'
import { presentClient } from './last-used.ts'
import type { Client } from './client.ts'
import { timeText, tokensEnd } from './expiry-policy.ts'
import { fieldsOf } from './rules-from-fields.ts'
import { type ApplyChange, changeRecord } from './store-change.ts'

/** Sets fields, some of which revoke tokens; null removes one. @param complete may replace the client, or throw */
export function fieldsSetter<C extends Client>(
  clients: ClientRepository<C>,
  rules: Fields,
  complete: (changed: C, before: C) => C | void = () => {},
  nameOfChange?: string,
) {
  return async (clientId: string, fields: object, options?: ChangeOptions): Promise<C> => {
    checkInput('the client cannot be changed', fields, rules)
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    // An expiry that is set now does not come from `keyPolicy`.
    const byDefault = given.some(([name]) => name === 'expiresAt') ? [['expiresByDefault', null]] : []
    const values = [...given, ...byDefault].map(([name, value]) => [
      name,
      value === null ? undefined : typeof value === 'string' ? value.trim() : (value as unknown),
    ])
    const filling = Object.fromEntries(values) as Partial<C>
    const set = (client: C): C | undefined => {
      const filled = { ...client, ...filling }
      const changed = complete(filled, client) ?? filled
      return isDeepStrictEqual(encoded(changed), encoded(client)) ? undefined : changed
    }
    const name = nameOfChange ?? given.map(([field]) => field).join(',')
    const expiresAt = values.find(([field]) => field === 'expiresAt')?.[1]
    const target = typeof expiresAt === 'number' ? timeText(expiresAt) : undefined
    const what = { clientId, name, target, options }
    const apply = ofClient(set)
    const end = typeof expiresAt === 'number' ? await tokensEnd({ kind: clients.kind }, clients) : Infinity
    const revoking = given.flatMap(([field, value]) => {
      const revokes = value === null ? undefined : fieldsOf(clients.kind)[field]?.revokesTokens
      return revokes ? [(before: C) => revokes(before, value, end)] : []
    })
    const isRemoval = (before: C) => revoking.some((revokes) => revokes(before))
    const revokes = revoking.length > 0 ? isRemoval : undefined
    return presentClient(clients, await changeRecord(clients, { ...what, revokes }, apply))
  }
}

function encoded(client: Client): unknown {
  return JSON.parse(JSON.stringify(client))
}

export function ofClient<C extends Client>(apply: (client: C) => C | undefined): ApplyChange<C> {
  return (record) => {
    const client = apply(record.client)
    return client && { ...record, client }
  }
}

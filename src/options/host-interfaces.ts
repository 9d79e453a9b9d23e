import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { AddProblem, Schema } from './schema.ts'

export const storeSchema = withMethods<Store>(
  'redisStore(client) or memoryStore()',
  'get getMany set create replace delete add remove range publish subscribe ping close'.split(' '),
)

export const loggerSchema = withMethods<Logger>(
  "a logger of pino's shape",
  'debug info warn error'.split(' '),
)

const OPTIONAL_METHODS_OF_ACCOUNTS = [
  'current',
  'signInUrl',
  'signOut',
  'authenticate',
  'can',
  'search',
  'confirm',
  'isOperator',
]

/** The host's accounts. An object literal is copied and frozen, and must not have unknown keys. */
export const accountsSchema = withMethods<Accounts>(
  "the host's accounts, as { find(accountId) { … } }",
  ['find'],
  OPTIONAL_METHODS_OF_ACCOUNTS,
  (accounts, add) => {
    const { current, signInUrl, clientsBelongTo } = accounts
    if (clientsBelongTo !== undefined && !['account', 'user'].includes(clientsBelongTo)) {
      add(['clientsBelongTo'], { code: 'choice', message: 'must be "account" or "user"' })
    }
    if (current !== undefined && signInUrl === undefined) {
      const message = 'is required beside current: the address at which people sign in'
      add(['signInUrl'], { code: 'required', message })
    }
    if (current === undefined && signInUrl !== undefined) {
      const message =
        'is required beside signInUrl: without current, gatehouse does not know who has signed in'
      add(['current'], { code: 'required', message })
    }
    if (!isLiteral(accounts)) return accounts
    const known = ['find', 'clientsBelongTo', ...OPTIONAL_METHODS_OF_ACCOUNTS]
    for (const key of Object.keys(accounts).filter((name) => !known.includes(name))) {
      add([key], { code: 'unknown', message: `is unknown; expected one of ${known.join(', ')}` })
    }
    return Object.freeze({ ...accounts })
  },
)

/**
 * The schema of an object of the host that has certain methods.
 *
 * @param hint how to get such an object, for the error messages
 * @param resolve checks the object further, even if methods are missing, and returns it for the resolved
 *   options
 */
function withMethods<T extends object>(
  hint: string,
  required: readonly string[],
  optional: readonly string[] = [],
  resolve: (object: T, add: AddProblem) => T = (object) => object,
): Schema<T> {
  return (value, add) => {
    if (typeof value !== 'object' || value === null) {
      if (value === undefined) add([], { code: 'required', message: `is required: ${hint}` })
      else add([], { code: 'type', message: `must be an object: ${hint}` })
      return value as T
    }
    for (const name of [...required, ...optional]) {
      const method: unknown = Reflect.get(value, name)
      if (typeof method === 'function') continue
      if (method !== undefined) add([name], { code: 'type', message: `must be a function: ${hint}` })
      else if (required.includes(name)) add([name], { code: 'required', message: `is required: ${hint}` })
    }
    return resolve(value as T, add)
  }
}

/** Whether an object was written as `{ … }`, and not created by a class. */
function isLiteral(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import {
  exactObjectOf,
  objectOf,
  oneOf,
  optional,
  ruleWith,
  together,
  type AddProblem,
  type Fields,
  type Rule,
} from '../validation/rules.ts'

export const storeRule = withMethods<Store>(
  'redisStore(client) or memoryStore()',
  'get getMany set create replace delete add remove range publish subscribe ping close',
)

export const loggerRule = withMethods<Logger>("a logger of pino's shape", 'debug info warn error')

const HOW_TO_ACCOUNTS = "the host's accounts, as { find(accountId) { … } }"
const method = methodRule(HOW_TO_ACCOUNTS)

const ACCOUNTS: Fields = {
  find: method,
  clientsBelongTo: optional(oneOf('account', 'user')),
  ...Object.fromEntries(
    'current signInUrl signOut authenticate can search confirm isOperator'
      .split(' ')
      .map((name) => [name, optional(method)]),
  ),
}

/** The host's accounts. An object literal is copied and frozen, and must not have unknown keys. */
export const accountsRule = ruleWith<Accounts>(
  hostObject(HOW_TO_ACCOUNTS, ACCOUNTS, together(exactObjectOf(ACCOUNTS), checkSignIn)),
  { read: (accounts) => (isLiteral(accounts) ? Object.freeze({ ...accounts }) : accounts) as Accounts },
)

function checkSignIn({ current, signInUrl }: Readonly<Record<string, unknown>>, add: AddProblem): void {
  if (current !== undefined && signInUrl === undefined) {
    const message = 'is required beside current: the address at which people sign in'
    add(['signInUrl'], { code: 'required', message })
  }
  if (current === undefined && signInUrl !== undefined) {
    const message = 'is required beside signInUrl: without current, gatehouse does not know who has signed in'
    add(['current'], { code: 'required', message })
  }
}

function withMethods<T extends object>(howTo: string, names: string): Rule<T> {
  const fields = Object.fromEntries(names.split(' ').map((name) => [name, methodRule(howTo)]))
  return hostObject(howTo, fields, objectOf(fields))
}

function methodRule(howTo: string): Rule {
  return (value) => {
    if (value === undefined) return { code: 'required', message: `is required: ${howTo}` }
    return typeof value === 'function' ? undefined : { code: 'type', message: `must be a function: ${howTo}` }
  }
}

/** May be an instance of a class. `howTo` says in errors how to get such an object. */
function hostObject<T extends object>(howTo: string, fields: Fields, members: Rule): Rule<T> {
  return (value) => {
    if (value === undefined) return { code: 'required', message: `is required: ${howTo}` }
    if (typeof value !== 'object' || value === null)
      return { code: 'type', message: `must be an object: ${howTo}` }
    if (isLiteral(value)) return members(value)
    return members(
      Object.fromEntries(Object.keys(fields).map((name) => [name, Reflect.get(value, name) as unknown])),
    )
  }
}

/** Whether an object was written as `{ … }`, and not created by a class. */
function isLiteral(value: unknown): value is object {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

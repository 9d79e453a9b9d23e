import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Registry } from '../clients/client.ts'
import type { Store } from '../store/contract.ts'
import { resolvedBy, type AddProblem } from './rules.ts'

/** The methods that an object of the host must have and may have. */
interface Methods {
  readonly required: readonly string[]
  readonly optional?: readonly string[]
  /** How to get such an object, for a host that passes none. */
  readonly hint: string
}

const STORE: Methods = {
  required: 'get getMany set create replace delete add remove range publish subscribe ping close'.split(' '),
  hint: 'redisStore(client) or memoryStore()',
}
const ACCOUNTS: Methods = {
  required: ['find'],
  optional: ['current', 'signInUrl', 'signOut', 'authenticate'],
  hint: "the host's accounts, as { find(accountId) { … } }",
}
const REGISTRY: Methods = {
  required: ['find', 'verifySecret'],
  optional: ['list'],
  hint: '{ find(clientId), verifySecret(client, secret) }',
}
const LOGGER: Methods = {
  required: ['debug', 'info', 'warn', 'error'],
  hint: "a logger of pino's shape",
}

export const storeSchema = withMethods<Store>(STORE)
export const registrySchema = withMethods<Registry>(REGISTRY)
export const loggerSchema = withMethods<Logger>(LOGGER)

/** The host's accounts. An object literal is copied and frozen, and may have no unknown keys. */
export const accountsSchema = resolvedBy((value, add) => {
  if (!checkMethods(ACCOUNTS, value, add)) return value as Accounts
  const { current, signInUrl } = value
  if (current !== undefined && signInUrl === undefined) {
    add(['signInUrl'], 'is required beside current: the address at which people sign in')
  }
  if (current === undefined && signInUrl !== undefined) {
    add(['current'], 'is required beside signInUrl: without it nothing shows who has signed in')
  }
  if (!isLiteral(value)) return value as unknown as Accounts
  const known = [...ACCOUNTS.required, ...(ACCOUNTS.optional ?? [])]
  for (const key of Object.keys(value).filter((name) => !known.includes(name))) {
    add([key], `is unknown; expected one of ${known.join(', ')}`)
  }
  return Object.freeze({ ...value }) as unknown as Accounts
})

function withMethods<T>(methods: Methods) {
  return resolvedBy((value, add) => {
    checkMethods(methods, value, add)
    return value as T
  })
}

/** @returns whether the value is an object at all */
function checkMethods(
  { required, optional = [], hint }: Methods,
  value: unknown,
  add: AddProblem,
): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) {
    add([], `${value === undefined ? 'is required' : 'must be an object'}: ${hint}`)
    return false
  }
  const object = value as Record<string, unknown>
  for (const name of [...required, ...optional]) {
    const method = object[name]
    if (typeof method === 'function') continue
    if (method !== undefined) add([name], `must be a function: ${hint}`)
    else if (required.includes(name)) add([name], `is required: ${hint}`)
  }
  return true
}

/** Whether an object was written as `{ … }`, so that all its keys are its own. */
function isLiteral(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

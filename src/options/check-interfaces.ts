import { isObject } from '../validation/predicates.ts'
import type { AddProblem } from './parse-options.ts'

/** The methods of an object that the host hands over. */
interface Role {
  readonly required: readonly string[]
  readonly optional?: readonly string[]
  /** Where it comes from, for a host that forgot it. */
  readonly hint: string
  /** Reject other keys, if it is an object literal: a wrongly typed optional method would be overlooked. */
  readonly exact?: boolean
}

const STORE_METHODS =
  'get getMany set create replace delete add remove range publish subscribe ping close'.split(' ')

/** The objects among the options, by their option. */
const ROLES = {
  store: {
    required: STORE_METHODS,
    hint: 'redisStore(client) or memoryStore()',
  },
  accounts: {
    required: ['find'],
    optional: ['current', 'signInUrl', 'signOut', 'authenticate'],
    hint: "the host's accounts, as { find(accountId) { … } }",
    exact: true,
  },
  registry: {
    required: ['find', 'verifySecret'],
    optional: ['list'],
    hint: '{ find(clientId), verifySecret(client, secret) }',
  },
  logger: { required: ['debug', 'info', 'warn', 'error'], hint: "a logger of pino's shape" },
} satisfies Record<string, Role>

/** Checks that an object has the methods of its role, and tells `add` what is missing or wrong. */
export function checkRole(name: keyof typeof ROLES, value: unknown, add: AddProblem): void {
  const role: Role = ROLES[name]
  if (typeof value !== 'object' || value === null) {
    add([name], `${value === undefined ? 'is required' : 'must be an object'}: ${role.hint}`)
    return
  }
  const methods = value as Record<string, unknown>
  for (const method of role.required) {
    if (typeof methods[method] === 'function') continue
    add(
      [name, method],
      `${methods[method] === undefined ? 'is required' : 'must be a function'}: ${role.hint}`,
    )
  }
  for (const method of role.optional ?? []) {
    const there = methods[method] !== undefined
    if (there && typeof methods[method] !== 'function') add([name, method], 'must be a function')
  }
  if (role.exact && isLiteral(value)) {
    const known = [...role.required, ...(role.optional ?? [])]
    for (const key of Object.keys(value).filter((key) => !known.includes(key))) {
      add([name, key], `is unknown; what can stand here is ${known.join(', ')}`)
    }
  }
}

/** Checks what the methods of `accounts` ask of one another. */
export function checkAccounts(value: unknown, add: AddProblem): void {
  checkRole('accounts', value, add)
  if (!isObject(value)) return
  const { current, signInUrl } = value
  if (current !== undefined && signInUrl === undefined) {
    add(['accounts', 'signInUrl'], 'is required beside current: where people who are not signed in are sent')
  }
  if (current === undefined && signInUrl !== undefined) {
    add(
      ['accounts', 'current'],
      'is required beside signInUrl: without it nobody who comes back is signed in',
    )
  }
}

/** Whether an object was written as `{ … }`, so that nothing but its own properties belongs to it. */
export function isLiteral(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

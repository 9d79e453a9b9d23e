import type { Context } from 'koa'
import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { callHost, invalidResult, readResult } from '../validation/host-callback.ts'
import { isObject, isText, kindOf } from '../validation/predicates.ts'
import {
  epochSecondsRule,
  listOf,
  MAX_ENTRIES,
  must,
  nullable,
  oneOf,
  type Rule,
  textRule,
} from '../validation/rules.ts'
import type {
  Account,
  Accounts,
  ConfirmedPermission,
  FoundAccount,
  Permission,
  PermissionTarget,
  SignedIn,
} from './accounts.ts'
import { firstTimes, type Logger } from './logger.ts'
import { ERASED_USER, subjectProblem } from './subject.ts'

/**
 * Validates all results of the host's account callbacks, in this one place. If one is invalid, the method rejects with
 * `ERR_HOST_CALLBACK`, which names the callback and the problem. Errors of a callback pass through. A KYC level that
 * is not in `kycLevels` counts as the lowest level, and is logged once, as is an operation that is in no product.
 */
export function createHostAccounts(
  accounts: Accounts,
  options: {
    readonly kycLevels: readonly string[]
    readonly logger: Logger
    readonly isOperation: (scope: string) => boolean
  },
) {
  const { kycLevels, logger, isOperation } = options
  const isNewLevel = firstTimes()
  const isNewOperation = firstTimes()
  const isNewGap = accounts.current && !accounts.can ? firstTimes() : () => false

  function knownLevel(level: string | undefined): string | undefined {
    if (level === undefined || kycLevels.includes(level)) return level
    if (isNewLevel(level)) {
      const message =
        'accounts.find returned a KYC level that is not in kycLevels; it counts as the lowest level'
      logger.warn({ kycLevel: level, kycLevels }, message)
    }
    return undefined
  }

  function warnOfUnknown(operation: string): void {
    if (isOperation(operation) || !isNewOperation(operation)) return
    logger.warn({ operation }, 'accounts.find returned an operation that is in no product; it is ignored')
  }

  return {
    clientsBelongTo: accounts.clientsBelongTo ?? 'account',
    async find(accountId: string, userId?: string): Promise<Account | undefined> {
      if (userId === ERASED_USER) return undefined
      const found = await callHost(FIND, () => accounts.find(accountId, userId))
      const account = readAccount(accountId, found)
      account?.operations?.forEach(warnOfUnknown)
      if (account?.operations && isNewGap(NO_CAN)) logger.warn({}, NO_CAN)
      return account && { ...account, kycLevel: knownLevel(account.kycLevel) }
    },
    ...(accounts.search && {
      search: (text: string) => readFound(() => accounts.search?.(text)),
    }),
    ...(accounts.current && {
      current: (ctx: Context) => readSignedIn('accounts.current', () => accounts.current?.(ctx)),
    }),
    ...(accounts.signInUrl && {
      signInUrl: (returnTo: URL, ctx: Context, options: { reauthenticate: boolean }) =>
        readAddress(returnTo, () => accounts.signInUrl?.(returnTo, ctx, options)),
    }),
    ...(accounts.signOut && {
      signOut: (ctx: Context) => callHost('accounts.signOut', () => accounts.signOut?.(ctx)),
    }),
    ...(accounts.authenticate && {
      authenticate: (credentials: { identifier: string; password: string }, ctx: Context) =>
        readSignedIn('accounts.authenticate', () => accounts.authenticate?.(credentials, ctx)),
    }),
    ...(accounts.can && {
      can: (ctx: Context, permission: Permission, target: PermissionTarget) =>
        readYesNo('accounts.can', () => accounts.can?.(ctx, permission, target)),
    }),
    ...(accounts.confirm && {
      confirm: (
        ctx: Context,
        permission: ConfirmedPermission,
        options: { base: string; returnTo: URL | undefined },
      ) =>
        readConfirmation(options.base, () =>
          accounts.confirm?.(ctx, permission, { returnTo: options.returnTo }),
        ),
    }),
    ...(accounts.isOperator && {
      isOperator: (ctx: Context) => readYesNo('accounts.isOperator', () => accounts.isOperator?.(ctx)),
    }),
  }
}

/** Absent values are undefined. If the host does not provide a callback, the method of that name is absent. */
export type HostAccounts = Pick<CheckedAccounts, 'find' | 'clientsBelongTo'> & {
  readonly [Name in keyof CheckedAccounts]: CheckedAccounts[Name] | undefined
}
type CheckedAccounts = ReturnType<typeof createHostAccounts>

/** An empty text is rejected: if it counted as a missing list, every operation would be allowed. */
const operationsRule: Rule = (value) => {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value) && value.length > MAX_ENTRIES) return `must have at most ${MAX_ENTRIES} entries`
  return listOf(textRule)(value)
}

const kycLevelRule = nullable(must('one of kycLevels', isText))
const claimsRule = nullable(must('an object of claims', isObject))

function readAccount(accountId: string, found: unknown): Account | undefined {
  const fields = readResult(FIND, found, () => ({
    // The level and claims of another account must never be used for this account.
    id: (id) =>
      textRule(id) ?? (id === accountId ? undefined : 'must be exactly the account id that was asked for'),
    kycLevel: kycLevelRule,
    claims: claimsRule,
    operations: operationsRule,
  }))
  if (!fields) return undefined
  const { kycLevel, claims, operations } = fields
  return {
    id: accountId,
    kycLevel: isText(kycLevel) ? kycLevel : undefined,
    claims: isObject(claims) ? claims : undefined,
    operations: Array.isArray(operations) ? operations : undefined,
  }
}

async function readFound(search: () => unknown): Promise<FoundAccount[]> {
  const found = (await callHost(SEARCH, search)) || []
  if (!Array.isArray(found)) throw invalidResult(SEARCH, `${kindOf(found)}; it must be a list`)
  return found.map((each: unknown) => {
    const fields = readResult(SEARCH, each ?? '', () => ({
      accountId: textRule,
      userId: nullable(textRule),
      name: nullable(textRule),
    }))
    if (!fields) throw invalidResult(SEARCH, 'a list with an empty entry')
    const { accountId, userId, name } = fields
    return {
      accountId: String(accountId),
      userId: isText(userId) ? userId : undefined,
      name: isText(name) ? name : undefined,
    }
  })
}

async function readSignedIn(callback: string, call: () => unknown): Promise<SignedIn | undefined> {
  const fields = readResult(callback, await callHost(callback, call), (values) => ({
    accountId: (id) => textRule(id) ?? subjectProblem({ accountId: String(id), userId: userOf(values) }),
    userId: nullable(textRule),
    signedInAt: nullable(epochSecondsRule),
    via: nullable(oneOf('session', 'token')),
  }))
  return (
    fields && {
      accountId: String(fields['accountId']),
      userId: userOf(fields),
      signedInAt: typeof fields['signedInAt'] === 'number' ? Math.floor(fields['signedInAt']) : undefined,
      ...(fields['via'] === 'token' && { via: 'token' }),
    }
  )
}

function userOf({ userId }: Readonly<Record<string, unknown>>): string | undefined {
  return isText(userId) ? userId : undefined
}

/** Any other truthy value throws, so that a forgotten `await` is noticed. */
async function readYesNo(callback: string, call: () => unknown): Promise<boolean> {
  const result = await callHost(callback, call)
  if (result && result !== true) throw invalidResult(callback, `${kindOf(result)}; it must be true or false`)
  return result === true
}

/** A relative address is resolved against `returnTo`, which is on the host's own origin. */
async function readAddress(returnTo: URL, call: () => unknown): Promise<URL> {
  return addressOf(SIGN_IN_URL, await callHost(SIGN_IN_URL, call), returnTo.href)
}

const NO_CAN =
  'accounts.find returned operations, but there is no accounts.can: in the console and the management API, each member may change all clients of the account'
const FIND = 'accounts.find'
const SEARCH = 'accounts.search'
const SIGN_IN_URL = 'accounts.signInUrl'

const CONFIRM = 'accounts.confirm'

/** Seconds for which a confirmation is valid, counted from the time that the host returns. */
const CONFIRMED_SECONDS = 300

/** The address where the host asks again; undefined if the caller has confirmed. */
async function readConfirmation(base: string, call: () => unknown): Promise<URL | undefined> {
  const result = await callHost(CONFIRM, call)
  if (result === true) return undefined
  if (!isObject(result) || result instanceof URL) return addressOf(CONFIRM, result, base)
  const fields = readResult(CONFIRM, result, () => ({ confirmedAt: nullable(epochSecondsRule) }))
  const url = addressOf(CONFIRM, result['url'], base)
  const age = Date.now() / 1000 - Number(fields?.['confirmedAt'] ?? 0)
  // A time slightly in the future is accepted, because the clocks of two machines may differ.
  return age <= CONFIRMED_SECONDS && age >= -NORMAL_CLOCK_SKEW_SECONDS ? undefined : url
}

/** The address that a callback returned, relative to `base`; `ERR_HOST_CALLBACK` if it is none. */
function addressOf(callback: string, result: unknown, base: string): URL {
  const address = result instanceof URL ? result.href : result
  const url = isText(address) ? URL.parse(address, base) : null
  if (url && /^https?:$/.test(url.protocol)) return url
  throw invalidResult(callback, `${kindOf(result)} that is not an address; it must be a URL or a path`)
}

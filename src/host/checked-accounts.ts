import type { Context } from 'koa'
import type { Problem } from '../errors.ts'
import type { Account, Accounts, SignedIn } from './accounts.ts'
import {
  ask,
  fieldsOf,
  isObject,
  kindOf,
  rejectUnfit,
  unfitAnswer,
  type Awaitable,
} from '../validation/host-callback.ts'
import type { Logger } from './logger.ts'
import { subjectProblem } from './subject.ts'

/**
 * The host's accounts as the other parts see them. Absent values are undefined, and present values match their
 * types. A method that the host does not have is absent here too.
 */
export interface CheckedAccounts {
  /** The account of exactly this id, or undefined. */
  find(accountId: string, userId?: string): Awaitable<Account | undefined>
  readonly current?: ((ctx: Context) => Awaitable<SignedIn | undefined>) | undefined
  readonly signInUrl?:
    | ((returnTo: URL, ctx: Context, options: { reauthenticate: boolean }) => Awaitable<string | URL>)
    | undefined
  readonly signOut?: ((ctx: Context) => Awaitable<void>) | undefined
  readonly authenticate?:
    | ((
        credentials: { identifier: string; password: string },
        ctx: Context,
      ) => Awaitable<SignedIn | undefined>)
    | undefined
}

/** KYC levels that are warned about at most. */
const MAX_WARNINGS = 100

/**
 * Later than every plausible time in seconds, and earlier than every one in milliseconds: the year 5138, or
 * 1973.
 */
const MILLISECONDS_FROM = 1e11

/**
 * Validates all results of the host's account callbacks, in this one place. For an invalid result a method
 * rejects with a GatehouseError `ERR_HOST_CALLBACK`, which names the callback and the problem. Errors of the
 * host pass through.
 *
 * A KYC level that is not in `kycLevels` counts as the lowest one, and is logged once.
 */
export function createCheckedAccounts(
  accounts: Accounts,
  { kycLevels, logger }: { kycLevels: readonly string[]; logger: Logger },
): CheckedAccounts {
  const warned = new Set<string>()

  function knownLevel(level: string | undefined): string | undefined {
    if (level === undefined || kycLevels.includes(level)) return level
    if (!warned.has(level) && warned.size < MAX_WARNINGS) {
      warned.add(level)
      logger.warn(
        { kycLevel: level, kycLevels },
        'accounts.find answered a KYC level that is not in kycLevels; it counts as the lowest one',
      )
    }
    return undefined
  }

  async function find(accountId: string, userId?: string): Promise<Account | undefined> {
    const fields = fieldsOf(FIND, await ask(FIND, () => accounts.find(accountId, userId)))
    if (!fields) return undefined
    const { id, kycLevel, claims } = fields
    rejectUnfit(FIND, [
      idProblem('id', id),
      // The level and claims of another account must never be used for this one.
      isText(id) && id !== accountId
        ? { path: 'id', message: 'must be exactly the account id that was asked for' }
        : undefined,
      isNone(kycLevel) || typeof kycLevel === 'string'
        ? undefined
        : { path: 'kycLevel', message: `must be one of kycLevels, and is ${kindOf(kycLevel)}` },
      isNone(claims) || isObject(claims)
        ? undefined
        : { path: 'claims', message: `must be an object of claims, and is ${kindOf(claims)}` },
    ])
    return {
      id: accountId,
      kycLevel: knownLevel(isText(kycLevel) ? kycLevel : undefined),
      claims: isObject(claims) ? claims : undefined,
    }
  }

  return {
    find,
    ...(accounts.current && {
      current: async (ctx: Context) =>
        readSignedIn(CURRENT, await ask(CURRENT, () => accounts.current?.(ctx))),
    }),
    ...(accounts.signInUrl && {
      signInUrl: async (returnTo: URL, ctx: Context, options: { reauthenticate: boolean }) =>
        readAddress(await ask(SIGN_IN_URL, () => accounts.signInUrl?.(returnTo, ctx, options)), returnTo),
    }),
    ...(accounts.signOut && {
      signOut: (ctx: Context) => ask('accounts.signOut', () => accounts.signOut?.(ctx)),
    }),
    ...(accounts.authenticate && {
      authenticate: async (credentials: { identifier: string; password: string }, ctx: Context) =>
        readSignedIn(AUTHENTICATE, await ask(AUTHENTICATE, () => accounts.authenticate?.(credentials, ctx))),
    }),
  }
}

const FIND = 'accounts.find'
const CURRENT = 'accounts.current'
const SIGN_IN_URL = 'accounts.signInUrl'
const AUTHENTICATE = 'accounts.authenticate'

function readSignedIn(callback: string, answer: unknown): SignedIn | undefined {
  const fields = fieldsOf(callback, answer)
  if (!fields) return undefined
  const { accountId, userId, signedInAt } = fields
  rejectUnfit(callback, [
    idProblem('accountId', accountId),
    isNone(userId) ? undefined : idProblem('userId', userId),
    isNone(signedInAt) ? undefined : timeProblem('signedInAt', signedInAt),
    subjectProblemOf(accountId, userId),
  ])
  return {
    accountId: String(accountId),
    userId: isText(userId) ? userId : undefined,
    signedInAt: isNone(signedInAt) ? undefined : Math.floor(Number(signedInAt)),
  }
}

/** The sign-in address; a path is resolved against the host's own origin. */
function readAddress(answer: unknown, returnTo: URL): URL {
  const address = answer instanceof URL ? answer.href : answer
  const url = isText(address) ? URL.parse(address, returnTo.href) : null
  if (url && /^https?:$/.test(url.protocol)) return url
  throw unfitAnswer(SIGN_IN_URL, `${kindOf(answer)} that is no address; it must be a URL or a path`)
}

function idProblem(path: string, value: unknown): Problem | undefined {
  if (isText(value)) return undefined
  return { path, message: `must be a text that is not empty, and is ${kindOf(value)}` }
}

/** The problem of the subject that the two ids make, if each of them is valid alone. */
function subjectProblemOf(accountId: unknown, userId: unknown): Problem | undefined {
  if (!isText(accountId)) return undefined
  const message = subjectProblem({ accountId, userId: isText(userId) ? userId : undefined })
  return message === undefined ? undefined : { path: 'accountId', message }
}

function timeProblem(path: string, value: unknown): Problem | undefined {
  if (typeof value !== 'number' || !(value >= 0)) {
    return { path, message: `must be a number of seconds since the epoch, and is ${kindOf(value)}` }
  }
  if (value < MILLISECONDS_FROM) return undefined
  return { path, message: 'must be in seconds since the epoch, and looks like milliseconds' }
}

/** Values that databases return for an empty field. */
function isNone(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

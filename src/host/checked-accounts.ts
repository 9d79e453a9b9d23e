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
 * The host's accounts as all other parts see them: what is not there is undefined, and what is there is as the
 * types say. A method that the host does not have is missing here too.
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

/** KYC levels that were warned of, at most. */
const MAX_WARNINGS = 100

/** Later than every time in seconds, and earlier than every one in milliseconds: the year 5138, or 1973. */
const MILLISECONDS_FROM = 1e11

/**
 * Checks everything that the host's callbacks answer, in this one place. Each method of it rejects with a
 * GatehouseError `ERR_HOST_CALLBACK`, which names the callback and what is wrong, where an answer cannot be; what
 * the host throws passes through.
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
      // Another account's level and claims must never be taken for this one's.
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

/** Where people sign in; what the host wrote as a path is one of its own. */
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

/** What keeps the two from making a subject, where each of them may be an id. */
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

/** What databases give for a field without a value. */
function isNone(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

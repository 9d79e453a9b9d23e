import type { Context } from 'koa'
import type { PermissionTarget, SignedIn } from '../../host/accounts.ts'
import { actorOf } from '../../host/actor.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import type { Client } from '../../clients/client.ts'
import { requesterOf } from '../../audit/entry.ts'
import { isFromOwnPage, type PageTokens } from '../../http/csrf.ts'
import { findLimit, permissionOf, type GrantParts, type Right } from './permissions-on-clients.ts'
import { Rejection, type RejectionDetails } from './rejection.ts'

/** An id alone is that of a deleted client. */
type Target = Client | Pick<PermissionTarget, 'clientId' | 'grantId'>

export type Access = Right | 'signed-in' | 'operator'

export interface Rights {
  /** The host is asked only when this is called, and at most once for each request. */
  isOperator(): Promise<boolean>
  /** @default the resource of the request */
  lacks(right: Right, target?: Target): Promise<RejectionDetails | undefined>
  may(right: Right, target?: Target): Promise<boolean>
}

export interface Caller extends Pick<SignedIn, 'accountId' | 'userId'> {
  /** As events name it: the account, or `account/user`. */
  readonly actor: string
  /** A browser may have sent the credentials by itself. */
  readonly isSession: boolean
}

export interface Guarded<Resource = unknown> {
  readonly access: Access
  /** @throws {GatehouseError} `ERR_NOT_FOUND`, also for a client or grant of another account */
  readonly find?:
    | ((caller: Caller, params: Readonly<Record<string, string>>) => Promise<Resource>)
    | undefined
  readonly target?: ((resource: Resource) => Target) | undefined
}

export interface Visit<Resource = unknown> extends Rights {
  readonly ctx: Context
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly resource: Resource
  readonly change: ChangeOptions
}

export interface FrontDoorParts {
  readonly accounts: Pick<HostAccounts, 'current' | 'can' | 'confirm' | 'isOperator'> & GrantParts['accounts']
  readonly catalog: GrantParts['catalog']
  readonly tokens: PageTokens
  /** The origin of {auth_url}, where the host may have pages of its own. */
  readonly issuerOrigin: string
  ready(): Promise<unknown>
}

/**
 * Who calls, whether `accounts.can` allows the act, and on which resource, which the table of routes or pages finds.
 */
export async function enter<Resource>(
  { access, find, target }: Guarded<Resource>,
  parts: Pick<FrontDoorParts, 'accounts' | 'catalog' | 'ready'>,
  ctx: Context,
  params: Readonly<Record<string, string>>,
): Promise<Visit<Resource>> {
  const { accounts } = parts
  await parts.ready()
  const caller = await findCaller(accounts, ctx)
  if (!caller) throw new Rejection('signedOut')

  let operator: Promise<boolean> | undefined
  const isOperator = () => (operator ??= Promise.resolve(accounts.isOperator?.(ctx) ?? false))
  // Before the resource is looked up.
  if (access === 'operator' && !(await isOperator())) throw new Rejection('forbidden', { limit: 'operator' })

  const resource = (await find?.(caller, params)) as Resource
  const lacks: Visit['lacks'] = async (right, of = target?.(resource)) => {
    const permission = permissionOf(right)
    const client = of && 'kind' in of ? of : undefined
    const asked = client ? { clientId: client.clientId, userId: client.userId } : of
    const isAllowed = await accounts.can?.(ctx, permission, { accountId: caller.accountId, ...asked })
    if (isAllowed === false) return { needs: permission }
    return client && findLimit(parts, { caller, isOperator }, client, right)
  }
  const visit: Visit<Resource> = {
    ctx,
    caller,
    params,
    resource,
    change: { actor: caller.actor, ...requesterOf(ctx) },
    isOperator,
    lacks,
    may: async (right, of) => (await lacks(right, of)) === undefined,
  }
  await requireAccess(visit, access)
  return visit
}

/** @throws {Rejection} `forbidden` */
export async function requireAccess(rights: Rights, access: Access, target?: Target): Promise<void> {
  if (access === 'signed-in' || (access === 'operator' && (await rights.isOperator()))) return
  const details = access === 'operator' ? { limit: access } : await rights.lacks(access, target)
  if (details) throw new Rejection('forbidden', details)
}

async function findCaller(accounts: Pick<HostAccounts, 'current'>, ctx: Context) {
  const signedIn = await accounts.current?.(ctx)
  if (!signedIn) return undefined
  const { accountId, userId, via } = signedIn
  return { accountId, userId, actor: actorOf(signedIn), isSession: via !== 'token' }
}

/** Rejects a request that another site may have sent through the caller's browser. @throws {Rejection} `foreignPage` */
export function requireOwnPage(
  { ctx }: Pick<Visit, 'ctx'>,
  surface: 'console' | 'management',
  { issuerOrigin }: Pick<FrontDoorParts, 'issuerOrigin'>,
): void {
  if (!isFromOwnPage(ctx, surface, issuerOrigin)) throw new Rejection('foreignPage')
}

/** After 24 hours. @throws {Rejection} `csrfToken` for an invalid token */
export function isCsrfTokenExpired({ ctx, caller }: Visit, token: string | null, { tokens }: FrontDoorParts) {
  const state = tokens.check(ctx, token, caller)
  if (state === 'invalid') throw new Rejection('csrfToken')
  return state === 'expired'
}

import { randomUUID } from 'node:crypto'
import { Provider, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { ConsentVersions } from '../../../grants/revoked-consents.ts'
import type { Stored } from '../../../store/collection.ts'

export type ProviderSession = NonNullable<KoaContextWithOIDC['oidc']['session']>

export interface FoundSession {
  /** The digest of the session's cookie. */
  id: string
  stored: Stored<AdapterPayload>
}

export interface GrantWithVersions {
  versions?: ConsentVersions | undefined
}

/**
 * Stores the consent versions with each grant, and passes the {@link FoundSession} from the session adapter's
 * `find` to its `upsert`.
 *
 * Relies on: a model stores the properties that its static `IN_PAYLOAD` names. `IN_PAYLOAD` is first read
 * when the first model is saved.
 */
export function storeConsentVersions({ Grant, Session }: Provider): void {
  addToPayload(Grant, 'versions')
  addToPayload(Session, 'found')
}

function addToPayload(model: { readonly IN_PAYLOAD: string[] }, property: string): void {
  const names = [...model.IN_PAYLOAD, property]
  Object.defineProperty(model, 'IN_PAYLOAD', { get: () => names })
}

/** Relies on: the name of the route. */
export function isReturnFromPages({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.route === 'resume'
}

/**
 * Gives a session a new cookie and `uid`. Interactions of the old `uid` can no longer be completed.
 *
 * Relies on: a session that is not stored yet is `new`, and no browser has its cookie. When the browser returns from
 * our pages, oidc-provider has already given the session a new cookie. An interaction belongs to the `uid` of its
 * session.
 */
export function replaceSessionIds(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  const isNew = (session as { new?: boolean }).new === true
  if (!isNew && !isReturnFromPages(ctx)) session.resetIdentifier()
  session.uid = randomUUID()
  session.iat = Math.floor(Date.now() / 1000)
}

/** Relies on: oidc-provider sets `ctx.oidc.result` before it calls the first of our hooks, and reads it after that. */
export function discardAnswers(ctx: KoaContextWithOIDC): void {
  Object.assign(ctx.oidc, { result: undefined })
}

/** Relies on: the session holds this secret when the page is rendered. */
export function signOutSecret({ oidc }: KoaContextWithOIDC): string {
  const secret = oidc.session?.state?.['secret']
  if (typeof secret === 'string') return secret
  throw new TypeError('there is no secret for the sign-out form')
}

export function sessionOfRequest(): ProviderSession | undefined {
  return Provider.ctx?.oidc.session
}

/** Relies on: oidc-provider deletes a session under the old cookie when it has the new one, and then saves it there. */
export function isReplacedSession(cookie: string): boolean {
  const session = sessionOfRequest()
  return session !== undefined && session.jti !== cookie
}

/** Relies on: the name of the route. */
export function isSignOutRequest(): boolean {
  return Provider.ctx?.oidc.route === 'end_session'
}

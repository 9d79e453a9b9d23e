import { randomUUID } from 'node:crypto'
import { Provider, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { ConsentVersions } from '../../../grants/consent-version.ts'
import type { Stored } from '../../../store/collection.ts'

/** oidc-provider's session in a browser. */
export type ProviderSession = NonNullable<KoaContextWithOIDC['oidc']['session']>

/** A session as it was read from the store. Each write of this request updates it. */
export interface FoundSession {
  /** The digest of the session's cookie. */
  id: string
  stored: Stored<AdapterPayload>
}

/** oidc-provider's grant, with the consent versions at the time when it was made. */
export interface GrantWithVersions {
  versions?: ConsentVersions | undefined
}

/**
 * Lets a grant carry its consent versions, and a session carry its {@link FoundSession} from `find` to `upsert`, which
 * does not store it. oidc-provider's models have no place for either.
 *
 * Relies on: a model stores the properties named in its static `IN_PAYLOAD`, which is first read when the first model
 * is saved.
 */
export function storeConsentVersions({ Grant, Session }: Provider): void {
  addToPayload(Grant, 'versions')
  addToPayload(Session, 'found')
}

function addToPayload(model: { readonly IN_PAYLOAD: string[] }, property: string): void {
  const names = [...model.IN_PAYLOAD, property]
  Object.defineProperty(model, 'IN_PAYLOAD', { get: () => names })
}

/** Whether the person returns from the pages with this request. Relies on: the name of the route. */
export function isReturnFromPages({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.route === 'resume'
}

/**
 * Gives a session a new cookie and a new `uid`. Interactions that began in the old session can no longer be completed.
 *
 * Relies on: a session that is not stored yet is `new`, and no browser has its cookie; the session of a request that
 * returns from the pages has received a new cookie by then; an interaction belongs to the `uid` of its session.
 */
export function replaceSessionIds(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  const isNew = (session as { new?: boolean }).new === true
  if (!isNew && !isReturnFromPages(ctx)) session.resetIdentifier()
  session.uid = randomUUID()
}

/**
 * Discards what the person answered on the pages.
 *
 * Relies on: the answer is `ctx.oidc.result`, set before the first of our hooks, and read after that hook.
 */
export function discardAnswers(ctx: KoaContextWithOIDC): void {
  Object.assign(ctx.oidc, { result: undefined })
}

/**
 * The secret that the form of the sign-out page must send back.
 *
 * Relies on: the session holds it when the page is rendered.
 */
export function signOutSecret({ oidc }: KoaContextWithOIDC): string {
  const secret = oidc.session?.state?.['secret']
  if (typeof secret === 'string') return secret
  throw new TypeError('there is no secret for the sign-out form')
}

/** The session of the current request's browser. */
export function sessionOfRequest(): ProviderSession | undefined {
  return Provider.ctx?.oidc.session
}

/**
 * Whether a session is deleted because it continues under another cookie.
 *
 * Relies on: by then the request's session has the new cookie, and is saved next.
 */
export function isReplacedSession(cookie: string): boolean {
  const session = sessionOfRequest()
  return session !== undefined && session.jti !== cookie
}

/** Whether this request asks to sign out. Relies on: the name of the route. */
export function isSignOutRequest(): boolean {
  return Provider.ctx?.oidc.route === 'end_session'
}

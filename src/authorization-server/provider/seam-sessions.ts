import { Provider, type AdapterPayload } from 'oidc-provider'
import type { Stored } from '../../store/collection.ts'
import type { ProviderSession } from './seam.ts'

/** A session as read from the store. It is updated as this request writes it. */
export interface FoundSession {
  /** The digest of its cookie. */
  id: string
  stored: Stored<AdapterPayload>
}

/** The session of the browser that this request comes from. */
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

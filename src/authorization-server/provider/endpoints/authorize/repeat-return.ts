import type { Next } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { redirect } from '../../../../http/redirect.ts'
import { subjectOf } from '../../../../host/subject.ts'
import { createEncryption } from '../../../../keys/encryption.ts'
import { digest } from '../../../../store/digest.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { requestState } from '../../request-state.ts'

/** Milliseconds for which a browser gets the same answer again when it repeats its return from our pages. */
const REPEAT_MS = 10_000

/** Seconds for which an answer is kept, so that a browser learns that its code was used. */
const KEPT_SECONDS = 60

const RETURN = /^\/oauth2\/authorize\/([^/]+)\/?$/i

/** The answer to a return from our pages. It is stored encrypted. */
type Answer = ReturnType<typeof answerOf>

/**
 * Lets a browser repeat its return from our pages: it lost the answer, or blocks the redirect to an installed app until
 * the person presses "Continue". For 10 seconds, the same session gets the same `Location`, as long as its code is
 * unused. A code that is sent twice would end the access (RFC 6749 4.1.2). A HEAD request changes nothing.
 */
export function registerRepeatableReturn(provider: Provider, parts: ProviderParts): void {
  const encryption = createEncryption<Answer>(parts.settings.secrets, 'returns')

  provider.use(async function repeatableReturn(context: unknown, next: Next) {
    const ctx = context as KoaContextWithOIDC
    const [, uid] = ctx.method === 'GET' ? (RETURN.exec(ctx.path) ?? []) : []
    if (uid === undefined) return next()
    const key = `return:${digest(uid)}`
    const session = ctx.cookies.get(provider.cookieName('session'))
    const kept = session === undefined ? undefined : await parts.store.get(key)
    const answer = kept === undefined ? undefined : (await encryption.unseal(kept))?.value
    if (answer?.sessions.includes(session) && (await repeat(parts, ctx, answer))) return undefined
    await next()
    if (ctx.status !== 303) return undefined
    const sealed = await encryption.seal(answerOf(ctx, session))
    // If the answer cannot be kept, the browser still gets it, once.
    return parts.store.set(key, sealed, KEPT_SECONDS).catch(() => {})
  })
}

function answerOf(ctx: KoaContextWithOIDC, sessionBefore: string | undefined) {
  const { session, entities } = ctx.oidc
  const cookies = [ctx.response.get('Set-Cookie')].flat().map(String)
  return {
    at: Date.now(),
    location: ctx.response.get('Location'),
    // If the answer was lost, the browser has only the cookies from before.
    cookies: cookies.filter((cookie) => cookie.startsWith('gatehouse_')),
    /** Our session in this browser before and after the answer. In another session, the answer is not repeated. */
    sessions: [sessionBefore, session?.jti],
    /** The person who was signed in; absent if no person was. */
    subject: session?.accountId,
    /** The grant of the code in `location`; absent if it has no code. */
    grantId: entities.AuthorizationCode?.grantId,
  }
}

/** @returns false if the answer is too old to be repeated, or if its person has left, or if its grant was revoked */
async function repeat(
  { accounts, families, pages }: ProviderParts,
  ctx: KoaContextWithOIDC,
  { at, location, cookies, subject, grantId }: Answer,
): Promise<boolean> {
  const atHost = accounts.current && (await accounts.current(requestState(ctx).host))
  if (accounts.current && (atHost && subjectOf(atHost)) !== subject) return false
  if (grantId !== undefined && (await families.exists(grantId))) {
    if (await families.isRevoked(grantId)) return false
    pages.renderEnd(ctx, 'connected')
    return true
  }
  if (Math.abs(Date.now() - at) >= REPEAT_MS) return false
  ctx.append('Set-Cookie', cookies)
  redirect(ctx, location)
  return true
}

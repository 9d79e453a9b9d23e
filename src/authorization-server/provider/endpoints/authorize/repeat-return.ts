import type { Next } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { redirect } from '../../../../http/redirect.ts'
import { subjectOf } from '../../../../host/subject.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { COOKIES, SHORT_COOKIE } from '../../configuration.ts'
import { KEPT_SECONDS, type ReturnAnswer } from '../../models/returns.ts'
import { requestState } from '../../request-state.ts'
import { ROUTES } from '../../routes.ts'

/** Milliseconds for which a browser gets the same answer again when it repeats its return from our pages. */
const REPEAT_MS = 10_000

const RETURN = /^\/oauth2\/authorize\/([^/]+)\/?$/i

/**
 * Lets a browser repeat its return from our pages: it lost the answer, or blocks the redirect to an installed
 * app until the person presses "Continue". For 10 seconds, the same browser gets the same `Location`, as long
 * as its code is unused. A code that is sent twice would end the access (RFC 6749 4.1.2). A HEAD request
 * changes nothing.
 */
export function registerRepeatableReturn(provider: Provider, parts: ProviderParts): void {
  provider.use(async function repeatableReturn(context: unknown, next: Next) {
    const ctx = context as KoaContextWithOIDC
    const uid = returningBrowser(ctx)
    const answer = uid && (await parts.returns.find(uid))
    if (answer && (await repeat(parts, ctx, answer))) return
    await next()
    if (uid && ctx.status === 303) await keep(parts, ctx, uid)
  })
}

function returningBrowser({ method, path, cookies }: KoaContextWithOIDC): string | undefined {
  const [, uid] = method === 'GET' ? (RETURN.exec(path) ?? []) : []
  return [COOKIES.resume, COOKIES.returned].some((name) => cookies.get(name) === uid) ? uid : undefined
}

async function keep(
  { settings, returns }: ProviderParts,
  ctx: KoaContextWithOIDC,
  uid: string,
): Promise<void> {
  const path = new URL(`${settings.issuer}${ROUTES.authorization}/${uid}`).pathname
  ctx.cookies.set(COOKIES.returned, uid, { ...SHORT_COOKIE, path, maxAge: KEPT_SECONDS * 1000 })
  const ours = Object.values(COOKIES)
  const answer = {
    at: Date.now(),
    location: ctx.response.get('Location'),
    cookies: setCookies(ctx).filter((cookie) => ours.some((name) => cookie.startsWith(name))),
    sessions: [ctx.cookies.get(COOKIES.session), ctx.oidc.session?.jti].map(String),
    subject: ctx.oidc.session?.accountId,
    grantId: ctx.oidc.entities.AuthorizationCode?.grantId,
  }
  // If the answer cannot be kept, the browser still gets it, once.
  await returns.keep(uid, answer).catch(() => {})
}

/** @returns false if the answer is too old, or if its session has ended, or if its grant was revoked */
async function repeat(
  { accounts, families, pages }: ProviderParts,
  ctx: KoaContextWithOIDC,
  answer: ReturnAnswer,
): Promise<boolean> {
  const { at, location, cookies, sessions, subject, grantId } = answer
  if (!sessions.includes(ctx.cookies.get(COOKIES.session) ?? '')) return false
  const atHost = accounts.current && (await accounts.current(requestState(ctx).host))
  if (accounts.current && (atHost && subjectOf(atHost)) !== subject) return false
  if (grantId !== undefined && (await families.exists(grantId))) {
    if (await families.isRevoked(grantId)) return false
    pages.renderConnected(ctx)
    return true
  }
  if (Math.abs(Date.now() - at) >= REPEAT_MS) return false
  ctx.res.setHeader('Set-Cookie', [...setCookies(ctx), ...cookies])
  redirect(ctx, location)
  return true
}

function setCookies({ res }: KoaContextWithOIDC): string[] {
  return [res.getHeader('Set-Cookie') ?? []].flat().map(String)
}

import type { Context } from 'koa'
import type { SignedIn } from 'koa-gatehouse'
import type { Browser } from './browser.ts'

const NAME = 'host_session'

/** Returns the user who is signed in at a test host. The host keeps its session in its own cookie. */
export function readSession(ctx: Context): SignedIn | undefined {
  const cookie = ctx.cookies.get(NAME)
  if (cookie === undefined || cookie === '') return undefined
  return JSON.parse(Buffer.from(cookie, 'base64url').toString()) as SignedIn
}

/** Signs out at the host, as its sign-out page does. */
export function clearSession(ctx: Context): void {
  ctx.cookies.set(NAME, null)
}

/** Signs a user in or out in a browser, as the sign-in page of the host at `origin` does. */
export function sessionIn(origin: string) {
  const key = `${NAME}|${origin}|/`
  return {
    signInAt(browser: Browser, user: SignedIn): void {
      const value = Buffer.from(JSON.stringify(user)).toString('base64url')
      browser.cookies.set(key, { value, path: '/', origin })
    },
    signOutAt(browser: Browser): void {
      browser.cookies.delete(key)
    },
    isSignedInAt: (browser: Browser): boolean => browser.cookies.has(key),
  }
}

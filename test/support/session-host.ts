import type { Account, SignedIn, Store } from 'koa-gatehouse'
import type { Context } from 'koa'
import type { Browser } from './browser.ts'
import { startHost } from './host.ts'

const COOKIE = 'host_session'

/**
 * A host that has its own session, as most have: who is signed in stands in a cookie of its own, and its sign-in
 * page is at `/login`. `signInAt` and `signOutAt` do what that page would.
 *
 * @param options.canSignOut whether the host lets its session be ended
 */
export async function startSessionHost(options: { store: Store; canSignOut?: boolean }) {
  const accounts = new Map<string, Account>([
    ['alice', { id: 'alice', claims: { name: 'Alice' } }],
    ['bob', { id: 'bob', claims: { name: 'Bob' } }],
    ['acme', { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } }],
  ])
  const signIns: { returnTo: string; reauthenticate: boolean }[] = []
  const host = await startHost({
    store: options.store,
    accounts,
    gatehouse: {
      accounts: {
        find: (accountId) => accounts.get(accountId),
        current: (ctx: Context) => read(ctx.cookies.get(COOKIE)),
        signInUrl(returnTo, _ctx, { reauthenticate }) {
          signIns.push({ returnTo: returnTo.href, reauthenticate })
          return `/login?next=${encodeURIComponent(returnTo.href)}`
        },
        ...(options.canSignOut !== false && {
          signOut: (ctx: Context) => void ctx.cookies.set(COOKIE, null),
        }),
      },
    },
  })

  const keyOf = () => `${COOKIE}|${host.origin}|/`
  return {
    ...host,
    /** What `signInUrl` was asked for. */
    signIns,
    signInAt(browser: Browser, who: SignedIn): void {
      const value = Buffer.from(JSON.stringify(who)).toString('base64url')
      browser.cookies.set(keyOf(), { value, path: '/', origin: host.origin })
    },
    signOutAt(browser: Browser): void {
      browser.cookies.delete(keyOf())
    },
    isSignedInAt: (browser: Browser) => browser.cookies.has(keyOf()),
  }
}

export type SessionHost = Awaited<ReturnType<typeof startSessionHost>>

function read(cookie: string | undefined): SignedIn | undefined {
  if (cookie === undefined || cookie === '') return undefined
  return JSON.parse(Buffer.from(cookie, 'base64url').toString()) as SignedIn
}

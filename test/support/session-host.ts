import type { Account, Store } from 'koa-gatehouse'
import { startHost } from './host.ts'
import { clearSession, readSession, sessionIn } from './session-cookie.ts'

/**
 * Starts a host that has its own session, as most hosts do. The sign-in page of the host would be at
 * `/login`. `signInAt` and `signOutAt` do the work of that page.
 *
 * @param options.canSignOut whether the host lets gatehouse end its session
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
        current: readSession,
        signInUrl(returnTo, _ctx, { reauthenticate }) {
          signIns.push({ returnTo: returnTo.href, reauthenticate })
          return `/login?next=${encodeURIComponent(returnTo.href)}`
        },
        ...(options.canSignOut !== false && { signOut: clearSession }),
      },
    },
  })
  return {
    ...host,
    /** The arguments of each call of `signInUrl`. */
    signIns,
    ...sessionIn(host.origin),
  }
}

export type SessionHost = Awaited<ReturnType<typeof startSessionHost>>

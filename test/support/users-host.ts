import type { Account, GatehouseOptions, SignedIn, Store } from 'koa-gatehouse'
import type { Context } from 'koa'
import type { Browser } from './browser.ts'
import { startHost } from './host.ts'

const COOKIE = 'host_session'

/**
 * A host whose accounts have several users: `firm` has `owner` and `intern`, `alice` has none. `users` holds
 * `account/user`; a user that is deleted from it is not found any more.
 *
 * @param options.session whether the host has its own session (`signInAt`), instead of the built-in sign-in page
 */
export async function startUsersHost(options: {
  store: Store
  session?: boolean
  gatehouse?: Partial<GatehouseOptions>
}) {
  const accounts = new Map<string, Account>([
    ['firm', { id: 'firm', claims: { name: 'The firm' } }],
    ['alice', { id: 'alice', claims: { name: 'Alice', email: 'alice@example.com' } }],
    ['acme', { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } }],
  ])
  const users = new Map<string, object>([
    ['firm/owner', { name: 'Olga Owner', email: 'owner@firm.example' }],
    ['firm/intern', { name: 'Ian Intern', email: 'intern@firm.example' }],
  ])
  /** What `find` was asked for: `account/user`, or `account`. */
  const asked: string[] = []
  /** How many look-ups were under way at once, and at most so far. */
  const atOnce = { now: 0, most: 0 }

  const host = await startHost({
    store: options.store,
    accounts,
    gatehouse: {
      accounts: {
        async find(accountId, userId) {
          asked.push(userId === undefined ? accountId : `${accountId}/${userId}`)
          atOnce.most = Math.max(atOnce.most, (atOnce.now += 1))
          await new Promise((resolve) => setImmediate(resolve))
          atOnce.now -= 1
          const account = accounts.get(accountId)
          if (!account || userId === undefined) return account
          const claims = users.get(`${accountId}/${userId}`)
          return claims && { ...account, claims: { ...claims } }
        },
        ...(options.session
          ? {
              current: (ctx: Context) => read(ctx.cookies.get(COOKIE)),
              signInUrl: (returnTo: URL) => `/login?next=${encodeURIComponent(returnTo.href)}`,
              signOut: (ctx: Context) => void ctx.cookies.set(COOKIE, null),
            }
          : {
              authenticate: ({ identifier }) => {
                const [accountId = '', userId] = identifier.split('/')
                return { accountId, userId }
              },
            }),
      },
      ...options.gatehouse,
    },
  })

  return {
    ...host,
    users,
    asked,
    atOnce,
    signInAt(browser: Browser, who: SignedIn): void {
      const value = Buffer.from(JSON.stringify(who)).toString('base64url')
      browser.cookies.set(`${COOKIE}|${host.origin}|/`, { value, path: '/', origin: host.origin })
    },
    async userInfo(token: string) {
      const response = await host.fetch(`${host.issuer}/oauth2/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}

export type UsersHost = Awaited<ReturnType<typeof startUsersHost>>

function read(cookie: string | undefined): SignedIn | undefined {
  if (cookie === undefined || cookie === '') return undefined
  return JSON.parse(Buffer.from(cookie, 'base64url').toString()) as SignedIn
}

import type { Account, GatehouseOptions, Store } from 'koa-gatehouse'
import { startHost } from './host.ts'
import { clearSession, readSession, sessionIn } from './session-cookie.ts'

/**
 * Starts a host whose account `firm` has the users `owner` and `intern`. The accounts `alice` and `acme` have
 * no users. The keys of `users` are `account/user`. The host no longer finds a user who was deleted from
 * `users`.
 *
 * @param options.session whether the host has its own session (`signInAt`), instead of the built-in sign-in
 *   page
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
  /** The operations that `find` returns, by `account/user` or `account`. All others may use all operations. */
  const operations = new Map<string, unknown>()
  /** The arguments of each call of `find`: `account/user`, or `account`. */
  const asked: string[] = []
  /** The number of concurrent calls of `find`: the current number, and the maximum so far. */
  const atOnce = { now: 0, most: 0 }
  /** `find` reads its answer, and then awaits this function. */
  const pause = { beforeAnswer: async (_person: string): Promise<void> => {} }

  const host = await startHost({
    store: options.store,
    accounts,
    gatehouse: {
      accounts: {
        async find(accountId, userId) {
          const person = userId === undefined ? accountId : `${accountId}/${userId}`
          asked.push(person)
          atOnce.most = Math.max(atOnce.most, (atOnce.now += 1))
          await new Promise((resolve) => setImmediate(resolve))
          atOnce.now -= 1
          const account = accounts.get(accountId)
          const claims = userId === undefined ? account?.claims : users.get(person)
          const limit = operations.has(person) && { operations: operations.get(person) as string[] }
          await pause.beforeAnswer(person)
          return account && claims && { ...account, claims: { ...claims }, ...limit }
        },
        ...(options.session
          ? {
              current: readSession,
              signInUrl: (returnTo: URL) => `/login?next=${encodeURIComponent(returnTo.href)}`,
              signOut: clearSession,
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
    operations,
    pause,
    asked,
    atOnce,
    signInAt: sessionIn(host.origin).signInAt,
  }
}

export type UsersHost = Awaited<ReturnType<typeof startUsersHost>>

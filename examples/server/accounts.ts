import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

/** An account of the example host. In a real host, accounts are rows of a database. */
export interface HostAccount {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly kycLevel: 'none' | 'basic' | 'verified'
  /** Whether the person runs the service, and may see and revoke everything. */
  readonly isOperator?: boolean | undefined
  /** Undefined if the account has no sign-in. */
  readonly password?: { readonly salt: Buffer; readonly hash: Buffer }
}

/** The users that the sign-in page shows. All data of this host is fictional. */
export const DEMO_USERS = [
  { username: 'alice', password: 'wonderland', role: 'a customer' },
  { username: 'bob', password: 'builder', role: 'another customer' },
  { username: 'acme', password: 'dynamite', role: 'a developer with API keys and an application' },
  { username: 'olga', password: 'lighthouse', role: 'an operator of Harbour Ledger' },
] as const

/** The developer's account: it owns the demo API key and the demo application. */
export const DEVELOPER_ACCOUNT = 'acme'

const accounts = new Map<string, HostAccount>(
  [
    { id: 'alice', name: 'Alice Liddell', email: 'alice@example.com', kycLevel: 'none' as const },
    { id: 'bob', name: 'Bob Baker', email: 'bob@example.com', kycLevel: 'none' as const },
    {
      id: DEVELOPER_ACCOUNT,
      name: 'Acme Software Ltd.',
      email: 'dev@acme.example',
      kycLevel: 'basic' as const,
    },
    {
      id: 'olga',
      name: 'Olga Okafor',
      email: 'olga@harbour.example',
      kycLevel: 'none' as const,
      isOperator: true,
    },
  ].map((account) => {
    const demo = DEMO_USERS.find(({ username }) => username === account.id)
    return [account.id, demo ? { ...account, password: hashed(demo.password) } : account]
  }),
)

function hashed(password: string) {
  const salt = randomBytes(16)
  return { salt, hash: scryptSync(password, salt, 32) }
}

// If a name is unknown, the entered password is compared with this password. So a sign-in with an unknown
// name takes as long as a sign-in with a known name.
const dummyPassword = hashed(randomBytes(16).toString('hex'))

/** The account, or undefined. */
export const findAccount = (id: string): HostAccount | undefined => accounts.get(id)

/** The account with this name and password, or undefined. */
export function checkPassword(username: string, password: string): HostAccount | undefined {
  const account = accounts.get(username.trim().toLowerCase())
  const { salt, hash } = account?.password ?? dummyPassword
  const matches = timingSafeEqual(scryptSync(password, salt, 32), hash)
  return matches && account?.password ? account : undefined
}

import type { GrantRecord } from '../../grants/grant-record.ts'
import type { Account } from '../../host/accounts.ts'
import { personOf } from '../../host/subject.ts'
import type { Lifetimes } from './lifetimes.ts'

/** The default of the option `claims`: the standard claims of `profile` and `email` (OpenID Connect Core 5.4). */
export const STANDARD_CLAIMS = {
  profile: `name family_name given_name middle_name nickname preferred_username profile picture
    website gender birthdate zoneinfo locale updated_at`.split(/\s+/),
  email: ['email', 'email_verified'],
}

/** The claims that the claims of the host must not replace. */
function identityClaims(subject: string) {
  const { accountId, userId } = personOf(subject)
  return { sub: subject, account_id: accountId, user_id: userId }
}

/** Of the scope `openid`. */
export const OPENID_CLAIMS = ['sub', 'account_id', 'user_id']

/** Claims of the host's in an ID token or user info. */
export function accountClaims({ claims }: Account, subject: string, hasAll: boolean) {
  return hasAll ? { ...claims, ...identityClaims(subject) } : identityClaims(subject)
}

/** The claims of the ID token of a refresh (OpenID Connect Core 12.2), as oidc-provider chooses them. */
export function idTokenClaims(
  {
    issuer,
    lifetimes,
    claims,
    claimsInIdToken,
  }: {
    readonly issuer: string
    readonly lifetimes: Lifetimes
    readonly claims: Readonly<Record<string, readonly string[]>>
    readonly claimsInIdToken: boolean
  },
  token: {
    readonly account: Account
    readonly grant: GrantRecord & { readonly openid?: { readonly scope?: string } }
    readonly wanted: readonly string[]
    /** Claims that the authorization request needs, such as `auth_time` with `max_age`. */
    readonly needed: object | undefined
    readonly accountId: string
    readonly clientId: string
    readonly authTime?: number | undefined
    readonly sid?: string | undefined
  },
) {
  const { account, accountId: subject, authTime: auth_time, sid } = token
  const scopes = (token.grant.openid?.scope ?? '').split(' ').filter((scope) => token.wanted.includes(scope))
  const names = scopes.flatMap((scope) => (scope === 'openid' ? OPENID_CLAIMS : (claims[scope] ?? [])))
  const available = { ...accountClaims(account, subject, claimsInIdToken), auth_time }
  const chosen = new Set([...names, ...Object.keys(token.needed ?? {})])
  const iat = Math.floor(Date.now() / 1000)
  return {
    ...Object.fromEntries(Object.entries(available).filter(([name]) => chosen.has(name))),
    sid,
    aud: token.clientId,
    exp: iat + lifetimes.idToken,
    iat,
    iss: issuer,
    sub: subject,
  }
}

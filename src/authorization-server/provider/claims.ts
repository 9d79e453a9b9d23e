import type { Account } from '../../host/accounts.ts'
import { personOf } from '../../host/subject.ts'

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

/** Claims of the host in an ID token or user info: none replaces `sub`, `account_id` or `user_id`. */
export function accountClaims({ claims }: Account, subject: string, hasAll: boolean) {
  return hasAll ? { ...claims, ...identityClaims(subject) } : identityClaims(subject)
}

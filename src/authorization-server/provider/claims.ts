import { personOf } from '../../host/subject.ts'

/** The default of the option `claims`: the standard claims of `profile` and `email` (OpenID Connect Core 5.4). */
export const STANDARD_CLAIMS = {
  profile: `name family_name given_name middle_name nickname preferred_username profile picture
    website gender birthdate zoneinfo locale updated_at`.split(/\s+/),
  email: ['email', 'email_verified'],
}

/** The claims that the claims of the host must not replace. */
export function identityClaims(subject: string) {
  const { accountId, userId } = personOf(subject)
  return { sub: subject, account_id: accountId, user_id: userId }
}

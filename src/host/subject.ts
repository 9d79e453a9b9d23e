/** A person as named by the host: an account, or one of its users. */
export interface Person {
  readonly accountId: string
  readonly userId?: string | undefined
}

/** A holder with a `userId` is this user; any other holder is the whole account. */
export function belongsTo(owned: Person, { accountId, userId }: Person): boolean {
  return owned.accountId === accountId && (userId === undefined || owned.userId === userId)
}

/** The id that replaces the id of an erased user in records. The host is never asked for this id. */
export const ERASED_USER = '(erased)'

/** Maximum length of a subject, in characters (OpenID Connect Core 2). */
const MAX_LENGTH = 255

/** Separates the account id and the user id in a subject. The character is escaped in both ids. */
const SEPARATOR = '!'

const ESCAPED = /[^\x22-\x24\x26-\x7e]+/g

/**
 * The subject of a person (`sub`, RFC 9068 2.2), unique at the issuer. Without a user, it is the account id itself, if
 * the id has no characters that must be escaped. The ids must be well-formed Unicode (see `subjectProblem`).
 */
export function subjectOf({ accountId, userId }: Person): string {
  return userId === undefined ? escape(accountId) : `${escape(accountId)}${SEPARATOR}${escape(userId)}`
}

/** All users of an account have subjects that begin with it; the account itself does not. */
export function usersPrefixOf(accountId: string): string {
  return `${escape(accountId)}${SEPARATOR}`
}

/** The person of a subject that `subjectOf` created. */
export function personOf(subject: string): Person {
  const [accountId = '', userId] = subject.split(SEPARATOR).map(decodeURIComponent)
  return { accountId, ...(userId !== undefined && { userId }) }
}

/** Why no subject can be made for a person, as the end of a sentence about an id: `must be well-formed Unicode`. */
export function subjectProblem(person: Person): string | undefined {
  if ([person.accountId, person.userId ?? ''].some((id) => /\p{Surrogate}/u.test(id))) {
    return 'must be well-formed Unicode'
  }
  const { length } = subjectOf(person)
  if (length <= MAX_LENGTH) return undefined
  return `makes a subject of ${length} characters (with the userId, and percent-escaped); at most ${MAX_LENGTH} are allowed`
}

function escape(id: string): string {
  return id.replaceAll(ESCAPED, (text) => encodeURIComponent(text).replaceAll(SEPARATOR, '%21'))
}

/** A person as named by the host: an account, or one of its users. */
export interface Person {
  readonly accountId: string
  readonly userId?: string | undefined
}

/** The longest subject, in characters (OpenID Connect Core 2). */
const MAX_LENGTH = 255

/** Separates account and user, and is escaped in both. */
const SEPARATOR = '!'

/** Everything except printable ASCII; also the space, `!` and `%`. */
const ESCAPED = /[^\x22-\x24\x26-\x7e]+/g

/**
 * The subject of a person (`sub`, RFC 9068 2.2). It is unique at the issuer. A usual account id without a user
 * is its own subject.
 *
 * @param person ids of well-formed Unicode (see `subjectProblem`)
 */
export function subjectOf({ accountId, userId }: Person): string {
  return userId === undefined ? escape(accountId) : `${escape(accountId)}${SEPARATOR}${escape(userId)}`
}

/** The person of a subject that `subjectOf` created. */
export function personOf(subject: string): Person {
  const [accountId = '', userId] = subject.split(SEPARATOR).map(decodeURIComponent)
  return { accountId, ...(userId !== undefined && { userId }) }
}

/**
 * Why a person cannot have a subject, as a predicate without its grammatical subject; undefined if they can.
 */
export function subjectProblem(person: Person): string | undefined {
  if ([person.accountId, person.userId ?? ''].some((id) => /\p{Surrogate}/u.test(id))) {
    return 'must be well-formed Unicode'
  }
  const { length } = subjectOf(person)
  if (length <= MAX_LENGTH) return undefined
  return `makes a subject of ${length} characters, percent-escaped and with the userId if there is one; at most ${MAX_LENGTH} are allowed`
}

function escape(id: string): string {
  return id.replaceAll(ESCAPED, (text) => encodeURIComponent(text).replaceAll(SEPARATOR, '%21'))
}

/** Why a token is rejected when it is verified. */
export type TokenProblem =
  | 'too-long'
  | 'malformed'
  /** The header's `typ` is not `at+jwt`. For example, the token is an ID token. */
  | 'not-access-token'
  /** The header has no `kid`. */
  | 'no-key-id'
  | 'wrong-algorithm'
  /** The token names a key that this service does not have, or no longer has. */
  | 'unknown-key'
  | 'wrong-signature'
  | 'wrong-issuer'
  | 'wrong-audience'
  | 'not-valid-yet'
  | 'expired'
  /** A claim that every JWT needs is missing, or has a wrong type. */
  | 'missing-claim'
  /** One of our own claims is invalid. */
  | 'wrong-claim'
  /** The token has `cnf`: it is bound to a key, and the caller would have to prove that it has this key. */
  | 'bound-to-key'

/** A token that is not valid. */
export interface InvalidToken {
  readonly problem: TokenProblem
  /** The claim, if the problem is `missing-claim` or `wrong-claim`. */
  readonly claim?: string | undefined
  /**
   * What else is wrong with the token, if its signature was not accepted. It helps people to understand `problem`: an
   * unknown key together with `wrong-issuer` means that another service issued the token.
   */
  readonly also?: 'unsigned' | 'wrong-issuer' | 'wrong-audience' | undefined
  /** The client of a token that has expired, if its signature was accepted. */
  readonly clientId?: string | undefined
}

/** A token that was valid, and was revoked. */
export interface RevokedToken {
  readonly problem: 'revoked'
  readonly clientId: string
}

const SENTENCES: Readonly<Record<TokenProblem | 'revoked', string>> = {
  'too-long': 'the access token is too long',
  malformed: 'the access token is malformed',
  'not-access-token': 'the token is not an access token (typ is not at+jwt)',
  'no-key-id': 'the access token does not name the key that signed it (kid)',
  'wrong-algorithm': 'the access token is not signed with ES256',
  'unknown-key': 'the access token is signed with an unknown key',
  'wrong-signature': 'the signature of the access token is wrong',
  'wrong-issuer': 'the access token is from another issuer',
  'wrong-audience': 'the access token is for another audience',
  'not-valid-yet': 'the access token is not valid yet',
  expired: 'the access token has expired; get a new one',
  'missing-claim': 'the access token has no {claim} claim, or a wrong one',
  'wrong-claim': 'the access token has a wrong {claim} claim',
  'bound-to-key': 'the access token is bound to a key (cnf), and this API accepts no proof of that key',
  revoked: 'the access token has been revoked',
}

/** The problem as text for `error_description` (RFC 6750 3). It never quotes the token. */
export function describeInvalidToken(token: InvalidToken | RevokedToken): string {
  const sentence = SENTENCES[token.problem]
  return 'claim' in token ? sentence.replace('{claim}', String(token.claim)) : sentence
}

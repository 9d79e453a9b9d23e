export type TokenProblem =
  | 'too-long'
  | 'malformed'
  /** For example, the token is an ID token. */
  | 'not-access-token'
  | 'no-key-id'
  | 'wrong-algorithm'
  /** This service may have had the key. */
  | 'unknown-key'
  | 'wrong-signature'
  | 'wrong-issuer'
  | 'wrong-audience'
  | 'not-valid-yet'
  | 'expired'
  | 'missing-claim'
  | 'wrong-claim'
  /** The caller would have to prove that it has the key in `cnf`. */
  | 'bound-to-key'

export interface InvalidToken {
  readonly problem: TokenProblem
  readonly claim?: string | undefined
  /** If the signature was not accepted: `wrong-issuer` explains an unknown key. */
  readonly also?: 'unsigned' | 'wrong-issuer' | 'wrong-audience' | undefined
  /** Of a token that has expired, if its signature was accepted. */
  readonly clientId?: string | undefined
}

export interface RevokedToken {
  readonly problem: 'revoked'
  readonly clientId: string
}

const SENTENCES: Readonly<Record<TokenProblem | 'revoked', string>> = {
  'too-long': 'the access token is too long',
  malformed: 'the access token is malformed: send one from the token endpoint, not a client secret',
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

/** Describes a rejected token for `error_description` (RFC 6750 3). It never quotes the token. */
export function describeInvalidToken(token: InvalidToken | RevokedToken): string {
  const sentence = SENTENCES[token.problem]
  return 'claim' in token ? sentence.replace('{claim}', String(token.claim)) : sentence
}

import { expect, it } from 'vitest'
import {
  describeInvalidToken,
  type InvalidToken,
  type RevokedToken,
} from '../../src/gateway/token-problem.ts'

const SENTENCES: [InvalidToken | RevokedToken, string][] = [
  [{ problem: 'too-long' }, 'the access token is too long'],
  [
    { problem: 'malformed' },
    'the access token is malformed: send one from the token endpoint, not a client secret',
  ],
  [{ problem: 'not-access-token' }, 'the token is not an access token (typ is not at+jwt)'],
  [{ problem: 'no-key-id' }, 'the access token does not name the key that signed it (kid)'],
  [{ problem: 'wrong-algorithm' }, 'the access token is not signed with ES256'],
  [{ problem: 'unknown-key', also: 'wrong-issuer' }, 'the access token is signed with an unknown key'],
  [{ problem: 'wrong-signature' }, 'the signature of the access token is wrong'],
  [{ problem: 'wrong-issuer' }, 'the access token is from another issuer'],
  [{ problem: 'wrong-audience' }, 'the access token is for another audience'],
  [{ problem: 'not-valid-yet' }, 'the access token is not valid yet'],
  [{ problem: 'expired' }, 'the access token has expired; get a new one'],
  [{ problem: 'missing-claim', claim: 'jti' }, 'the access token has no jti claim, or a wrong one'],
  [{ problem: 'wrong-claim', claim: 'scope' }, 'the access token has a wrong scope claim'],
  [
    { problem: 'bound-to-key' },
    'the access token is bound to a key (cnf), and this API accepts no proof of that key',
  ],
  [{ problem: 'revoked', clientId: 'key_1' }, 'the access token has been revoked'],
]

it('each problem of a token has its error_description', () => {
  expect(SENTENCES.map(([token]) => [token, describeInvalidToken(token)])).toEqual(SENTENCES)
})

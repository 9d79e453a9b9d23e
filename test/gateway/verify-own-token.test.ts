import fc from 'fast-check'
import { webcrypto } from 'node:crypto'
import type { JWTVerifyGetKey } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { createOwnTokenReader } from '../../src/gateway/verify-own-token.ts'
import { createTokenVerifier, type VerifyToken } from '../../src/gateway/verify-token.ts'
import {
  accessTokenClaims,
  AUDIENCE,
  createTokenIssuer,
  ISSUER,
  type TokenIssuer,
} from './support/token-issuer.ts'

const encode = (text: string) => Buffer.from(text).toString('base64url')

let issuer: TokenIssuer
/** Verifies tokens of the usual form without jose. */
let verify: VerifyToken
/** Verifies every token with jose, because its keys are no CryptoKeys. */
let verifyWithJose: VerifyToken

beforeAll(async () => {
  issuer = await createTokenIssuer()
  const asJwk: JWTVerifyGetKey = async (header, token) => {
    await issuer.getKey(header, token)
    return issuer.publicJwk
  }
  verify = createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, getKey: issuer.getKey })
  verifyWithJose = createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, getKey: asJwk })
})

/** Signs a header and a payload as they are written. */
async function sign(header: string, payload: string): Promise<string> {
  const signed = `${encode(header)}.${encode(payload)}`
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const key = issuer.privateKey
  const signature = await webcrypto.subtle.sign(algorithm, key, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

/** A token with each letter of its payload replaced by one beyond Latin-1: `A` by `\u0141`. */
function withOtherLetters(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const others = payload.replaceAll(/./g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x100))
  return [header, others, signature].join('.')
}

const HEADER = '{"alg":"ES256","kid":"key-1","typ":"at+jwt"}'
const claims = (changes = {}) => JSON.stringify(accessTokenClaims({ jti: 'token', ...changes }))

describe('the reader of own tokens', () => {
  it('jose is not asked for a token of the usual form', async () => {
    const read = createOwnTokenReader({ issuer: ISSUER, audience: AUDIENCE })
    expect(read(await issuer.mint())).toMatchObject({
      header: { kid: 'key-1' },
      claims: { account_id: 'acme' },
    })
    expect(read(await issuer.mint({ aud: [AUDIENCE] }))).toBeUndefined()
  })

  const TOKENS: [what: string, make: () => Promise<string>][] = [
    ['a usual token', () => sign(HEADER, claims())],
    ['a member b64', () => sign(HEADER.replace('}', ',"b64":false,"crit":["b64"]}'), claims())],
    ['a member crit', () => sign(HEADER.replace('}', ',"crit":["x"],"x":1}'), claims())],
    ['an embedded key', () => sign(HEADER.replace('}', ',"jwk":{}}'), claims())],
    ['a duplicate alg', () => sign(HEADER.replace('{', '{"alg":"none",'), claims())],
    ['a duplicate kid', () => sign(HEADER.replace('}', ',"kid":"other"}'), claims())],
    ['the algorithm none', () => sign(HEADER.replace('ES256', 'none'), claims())],
    ['another algorithm', () => sign(HEADER.replace('ES256', 'ES384'), claims())],
    ['another type', () => sign(HEADER.replace('at+jwt', 'JWT'), claims())],
    ['an unknown kid', () => sign(HEADER.replace('key-1', 'key-9'), claims())],
    ['spaces in its header', () => sign(HEADER.replaceAll(':', ' : '), claims())],
    ['a duplicate claim', () => sign(HEADER, claims().replace('{', '{"account_id":"other",'))],
    ['a list as payload', () => sign(HEADER, '[]')],
    ['a payload that is no JSON', () => sign(HEADER, '{')],
    ['a huge payload', () => sign(HEADER, claims({ filler: 'x'.repeat(100_000) }))],
    [
      'a deeply nested payload',
      () => sign(HEADER, claims().replace('}', `,"x":${'['.repeat(2000)}${']'.repeat(2000)}}`)),
    ],
    ['a nbf claim', () => sign(HEADER, claims({ nbf: Math.floor(Date.now() / 1000) + 60 }))],
    ['an exp claim that is a text', () => sign(HEADER, claims({ exp: '9999999999' }))],
    ['an expired token', () => sign(HEADER, claims({ exp: 1 }))],
    ['another issuer', () => sign(HEADER, claims({ iss: 'https://evil.example' }))],
    ['a cnf claim', () => sign(HEADER, claims({ cnf: { jkt: 'x' } }))],
    ['a wrong signature', async () => `${(await sign(HEADER, claims())).slice(0, -86)}${'A'.repeat(86)}`],
    ['a signature with padding', async () => `${await sign(HEADER, claims())}==`],
    ['a truncated signature', async () => (await sign(HEADER, claims())).slice(0, -1)],
    ['a signature with a space', async () => (await sign(HEADER, claims())).replace(/.$/, ' ')],
    [
      'other letters that have the same low bytes',
      async () => withOtherLetters(await sign(HEADER, claims())),
    ],
    ['four parts', async () => `${await sign(HEADER, claims())}.x`],
    ['two parts', async () => (await sign(HEADER, claims())).slice(0, -87)],
  ]

  it('a token of any other form gets the same result as with jose', async () => {
    for (const [what, make] of TOKENS) {
      const token = await make()
      expect([what, await verify(token)]).toEqual([what, await verifyWithJose(token)])
    }
  })

  it('a signature that decodes to the same bytes, but is written in another way, is left to jose', async () => {
    const token = await sign(HEADER, claims())
    const last = token.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // The last of 86 characters carries two bits, so sixteen characters decode to the same bytes.
    const others = alphabet
      .split('')
      .filter((other) => other !== last && alphabet.indexOf(other) >> 4 === alphabet.indexOf(last) >> 4)
    const read = createOwnTokenReader({ issuer: ISSUER, audience: AUDIENCE })
    for (const other of others) expect(read(token.slice(0, -1) + other)).toBeUndefined()
    expect(others).toHaveLength(15)
  })

  it('for any change of one character, the result is the same as with jose', async () => {
    const token = await issuer.mint()
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...'Aa0-_.=+/ \u00e9'.split('')),
        async (at, character) => {
          const changed = token.slice(0, at) + character + token.slice(at + 1)
          expect(await verify(changed)).toEqual(await verifyWithJose(changed))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('each token gets one signature check, for which its key is looked up, whatever is wrong with it', async () => {
    const tokens = [
      await issuer.mint(),
      await issuer.mint({ exp: 1 }),
      `${(await issuer.mint()).slice(0, -86)}${'A'.repeat(86)}`,
    ]
    for (const token of tokens) {
      const before = issuer.lookups()
      await verify(token)
      expect(issuer.lookups() - before).toBe(1)
    }
  })
})

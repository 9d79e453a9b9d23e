import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { identityOf, thumbprintOf } from '../../src/clients/jwk-set.ts'
import { identityOfPrivateKey, readPublicKey } from '../../src/clients/public-keys.ts'
import { createClientKey } from '../support/client-keys.ts'

const NOW = 1_700_000_000

describe('reading the public key of a client', () => {
  it('the thumbprint of a key is the one of RFC 7638 (the example in its section 3.1)', () => {
    const key = {
      kty: 'RSA',
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
    } as const
    expect(thumbprintOf(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })

  it('a JWK and a text in PEM format give the same key, and private keys give its identity', async () => {
    for (const alg of ['ES256', 'RS256'] as const) {
      const { jwk, pem, privatePem, privateJwk } = await createClientKey(alg)
      const read = readPublicKey(jwk, NOW)
      expect(read).toEqual(readPublicKey(pem, NOW))
      if ('message' in read) throw new Error(read.message)
      expect(read).toMatchObject({ kty: jwk.kty, kid: thumbprintOf(read), use: 'sig', iat: NOW })
      expect(Object.keys(read)).not.toContain('d')
      for (const text of [privatePem, `\n${privatePem}\n`, JSON.stringify(privateJwk)]) {
        expect(identityOfPrivateKey(text.trim())).toBe(identityOf(read))
      }
    }
  })

  it('kid and alg of a JWK stay, and all other members are left out', async () => {
    const { jwk } = await createClientKey('RS256')
    const read = readPublicKey(
      { ...jwk, kid: 'k1', alg: 'PS256', use: 'sig', x5c: ['x'], iat: 1, other: 2 },
      NOW,
    )
    expect(read).toEqual({ kty: 'RSA', n: jwk.n, e: jwk.e, kid: 'k1', alg: 'PS256', use: 'sig', iat: NOW })
  })

  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey
  /** An RSA key whose modulus is no product of two primes: making one takes long, and no test signs with this key. */
  const rsa = (modulusLength: number, e = 'AQAB') => {
    const modulus = Buffer.alloc(modulusLength / 8, 0xf1)
    return createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e }, format: 'jwk' })
  }
  const pem = (key: ReturnType<typeof ec>) => key.export({ type: 'spki', format: 'pem' })

  const jwk = (key: KeyObject) => key.export({ format: 'jwk' })
  const strong = () => jwk(rsa(2048))
  const REJECTED: [name: string, given: () => unknown, message: string][] = [
    ['a key with another curve', () => pem(ec('secp384r1')), 'must have the curve P-256'],
    ['a key of another type', () => pem(generateKeyPairSync('ed25519').publicKey), 'must be an EC key'],
    ['a short RSA key', () => pem(rsa(1024)), 'must have 2048 to 4096 bits'],
    ['an RSA key with the exponent 3', () => pem(rsa(2048, 'Aw')), 'must have the exponent 65537'],
    ['a key for encryption', () => ({ ...jwk(ec('P-256')), use: 'enc' }), 'for signatures'],
    ['a key with a wrong alg', () => ({ ...jwk(ec('P-256')), alg: 'RS256' }), 'ES256'],
    ['a key with alg none', () => ({ ...jwk(ec('P-256')), alg: 'none' }), 'ES256'],
    ['a symmetric key', () => ({ kty: 'oct', k: 'c2VjcmV0' }), 'is a private key'],
    ['a kid with spaces', () => ({ ...jwk(ec('P-256')), kid: 'a b' }), 'kid'],
    ['a kid that is a number', () => ({ ...jwk(ec('P-256')), kid: 7 }), 'kid'],
    ['a JWK with a long exponent', () => ({ ...strong(), e: 'x'.repeat(60_000) }), 'must be a public'],
    ['a JWK with a large exponent', () => ({ ...strong(), e: 'AAEAAw' }), 'must have the exponent'],
    ['an RSA JWK with p and q', () => ({ ...strong(), p: 'AQ', q: 'AQ' }), 'is a private key'],
    ['a text', () => 'hello', 'must be a public key'],
    ['an empty object', () => ({}), 'must be a public key'],
    ['null', () => null, 'must be a public key'],
    ['a list', () => [], 'must be a public key'],
    ['a point off the curve', () => ({ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }), 'must be a public key'],
    ['a long text', () => `-----BEGIN PUBLIC KEY-----${'A'.repeat(20_000)}`, 'must be a public key'],
  ]

  it('a key of another kind, a weak key and a malformed key are rejected, and the error names the problem', () => {
    for (const [name, given, message] of REJECTED) {
      const problem = { message: expect.stringContaining(message) as unknown }
      expect([name, readPublicKey(given(), NOW)]).toEqual([name, expect.objectContaining(problem)])
    }
  })
  it('a key of another type has no identity: it is rejected also as RSA-PSS, P-224, Brainpool or X25519', () => {
    const generate = generateKeyPairSync as unknown as (
      type: string,
      options: object,
    ) => { publicKey: KeyObject; privateKey: KeyObject }
    for (const [type, options] of [
      ['rsa-pss', { modulusLength: 2048 }],
      ['ec', { namedCurve: 'secp224r1' }],
      ['ec', { namedCurve: 'brainpoolP256r1' }],
      ['ed25519', {}],
      ['x25519', {}],
    ] as const) {
      const { publicKey, privateKey } = generate(type, options)
      const text = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
      expect([type, identityOfPrivateKey(text)]).toEqual([type, undefined])
      expect([type, readPublicKey(pem(publicKey), NOW)]).toEqual([
        type,
        expect.objectContaining({ message: expect.any(String) as unknown }),
      ])
    }
  })

  it('a private key is rejected, and no message contains it', async () => {
    const { privatePem, privateJwk } = await createClientKey()
    for (const given of [privatePem, privateJwk]) {
      const read = readPublicKey(given, NOW)
      expect(read).toMatchObject({ code: 'private-key' })
      expect(JSON.stringify(read)).not.toContain(String(privateJwk.d))
    }
  })

  it('a text that is no private key has no identity', () => {
    const texts = [
      '',
      '{',
      '{}',
      '{"kty":"EC"}',
      'x'.repeat(100_000),
      '-----BEGIN PRIVATE KEY-----',
      '{"d":"x"}',
    ]
    expect(texts.map((text) => identityOfPrivateKey(text))).toEqual(texts.map(() => undefined))
  })

  it('a private key is found in the forms in which it leaks', async () => {
    const { privatePem, privateJwk, jwk, pem } = await createClientKey()
    const read = readPublicKey(jwk, NOW)
    if ('message' in read) throw new Error(read.message)
    const lines = privatePem.trim().split('\n')
    const leaks = {
      env: `KEY="${lines.join('\\n')}\\n"`,
      json: JSON.stringify({ key: privatePem }),
      yaml: `key: |\n${lines.map((line) => `    ${line}`).join('\n')}\n`,
      windows: lines.join('\r\n'),
      'one line': lines.join(''),
      'beside its public key': `${pem}\n${privatePem}`,
      'JWK Set': JSON.stringify({ keys: [jwk, privateJwk] }),
    }
    for (const [form, text] of Object.entries(leaks)) {
      expect([form, identityOfPrivateKey(text)]).toEqual([form, identityOf(read)])
    }
    expect(readPublicKey(JSON.stringify(jwk), NOW)).toEqual(read)
    expect(readPublicKey(JSON.stringify(privateJwk), NOW)).toMatchObject({ code: 'private-key' })
  })

  it('a public key has no identity, because it cannot leak', async () => {
    const { jwk, pem: text } = await createClientKey()
    expect(identityOfPrivateKey(text)).toBeUndefined()
    expect(identityOfPrivateKey(JSON.stringify(jwk))).toBeUndefined()
  })
})

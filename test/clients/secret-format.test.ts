import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSecret } from 'koa-gatehouse'
import { isSecret as isSecretOfGateway } from 'koa-gatehouse/gateway'
import { formatSecret, hintOf, isMistypedSecret, mayContainSecret } from '../../src/clients/secret-format.ts'
import { newSecret } from '../support/secrets.ts'

/** The pattern for scanners, as the documents have it. */
const PATTERN = /\bgatehouse_[0-9A-Za-z]{49}\b/

describe('a generated secret', () => {
  it('has the prefix, 256 random bits and a checksum, in letters and digits', () => {
    const secrets = Array.from({ length: 100 }, newSecret)
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^gatehouse_[0-9A-Za-z]{49}$/)
      expect(PATTERN.exec(`const key = '${secret}';`)?.[0]).toBe(secret)
      expect(isSecret(secret)).toBe(true)
    }
  })

  it('keeps all 256 bits', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const isEqual = Buffer.from(one).equals(other)
        return (formatSecret(one, 'a_') === formatSecret(other, 'a_')) === isEqual
      }),
    )
    expect(formatSecret(Buffer.alloc(32, 255), 'a_')).toMatch(/^a_[0-9A-Za-z]{49}$/)
    expect(formatSecret(Buffer.alloc(32), 'a_')).toMatch(/^a_0{43}[0-9A-Za-z]{6}$/)
  })

  it('is recognized by code that has only the gateway', () => {
    expect(isSecretOfGateway).toBe(isSecret)
  })

  it('is recognized only with its own prefix', () => {
    const secret = formatSecret(Buffer.alloc(32, 7), 'acme_live_')
    expect(isSecret(secret, { prefix: 'acme_live_' })).toBe(true)
    expect(isSecret(secret, { prefix: 'acme_' })).toBe(false)
    expect(isSecret(secret)).toBe(false)
    // Another prefix does not fit the checksum.
    expect(isSecret(secret.replace('acme_live_', 'gatehouse_'))).toBe(false)
  })

  it('is not recognized any more after any change of a character', () => {
    const secret = newSecret()
    for (let at = 0; at < secret.length; at += 1) {
      for (const character of 'aZ0_-é\u0430 ') {
        if (secret[at] === character) continue
        const changed = secret.slice(0, at) + character + secret.slice(at + 1)
        expect(isSecret(changed), changed).toBe(false)
        if (at >= 'gatehouse_'.length) expect(isMistypedSecret(changed, 'gatehouse_'), changed).toBe(true)
      }
      expect(isSecret(secret.slice(0, at))).toBe(false)
    }
    for (const other of [`${secret}\n`, ` ${secret}`, `${secret}a`, secret.toUpperCase()])
      expect(isSecret(other), other).toBe(false)
  })

  it('is no other value', () => {
    for (const value of [undefined, null, 42, '', 'gatehouse_', {}, [newSecret()]]) {
      expect(isSecret(value as string)).toBe(false)
    }
  })

  it('of the host, and one that is right, do not count as mistyped', () => {
    expect(isMistypedSecret('a secret of the host', 'gatehouse_')).toBe(false)
    expect(isMistypedSecret(newSecret(), 'gatehouse_')).toBe(false)
  })

  it('is shown by its prefix and its last four characters', () => {
    const secret = newSecret()
    expect(hintOf(secret)).toBe(`gatehouse_…${secret.slice(-4)}`)
  })

  it('is found in a text that messages must not quote, whatever its prefix and form are', () => {
    for (const text of [newSecret(), `x ${newSecret()}`, `sk_${'A-_z'.repeat(10)}abc`])
      expect(mayContainSecret(text)).toBe(true)
    for (const text of [
      'key_bm90LWEtc2VjcmV0',
      'invoices:read',
      'a.long.scope.name.of.an.operation:that-reads.much',
    ])
      expect(mayContainSecret(text)).toBe(false)
  })
})

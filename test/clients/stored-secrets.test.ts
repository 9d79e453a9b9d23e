import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashSecret, isSecretHash } from '../../src/clients/stored-secrets.ts'
import { newSecret } from '../support/secrets.ts'

describe('hashSecret', () => {
  it('hashSecret returns the SHA-256 hash of the UTF-8 bytes of the secret', () => {
    const digest = createHash('sha256').update('an-existing-sécret-of-the-host').digest('base64url')
    expect(hashSecret('an-existing-sécret-of-the-host')).toBe(`sha256:${digest}`)
  })

  it('hashSecret rejects a secret that is too short, without quoting it', () => {
    for (const secret of ['', 'hunter2', 'fifteen-charact', undefined, 42]) {
      const attempt = () => hashSecret(secret as string)
      expect(attempt).toThrowError(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
      expect(attempt).not.toThrowError('hunter2')
    }
  })
})

describe('isSecretHash', () => {
  it('isSecretHash accepts the result of hashSecret', () => {
    fc.assert(fc.property(fc.string({ minLength: 16 }), (secret) => isSecretHash(hashSecret(secret))))
  })

  it('isSecretHash rejects every other value', () => {
    const hash = hashSecret(newSecret())
    const others = {
      'the secret itself': newSecret(),
      'a hash without its algorithm': hash.slice('sha256:'.length),
      'a hash with the name of another algorithm': hash.replace('sha256', 'sha512'),
      'a hash of too few bytes': `sha256:${Buffer.alloc(31).toString('base64url')}`,
      'a hash of too many bytes': `sha256:${Buffer.alloc(33).toString('base64url')}`,
      'a hash in hex': `sha256:${'ab'.repeat(32)}`,
      'a hash with base64 padding': `sha256:${Buffer.alloc(32).toString('base64')}`,
      'a hash whose last character has unused bits that are set': `sha256:${'A'.repeat(42)}B`,
      'a hash with a line break at the end': `${hash}\n`,
      undefined,
      'a number': 1,
    }
    expect(Object.entries(others).filter(([, value]) => isSecretHash(value))).toEqual([])
  })
})

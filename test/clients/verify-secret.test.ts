import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashSecret, newSecret } from '../../src/clients/secrets.ts'
import { matchesSecret } from '../../src/clients/verify-secret.ts'

const NOW = Date.UTC(2030, 0, 1)
const seconds = NOW / 1000
const stored = (secret: string, expiresAt?: number) => ({ hash: hashSecret(secret), createdAt: 1, expiresAt })

describe('matchesSecret', () => {
  it('matchesSecret accepts each of two live secrets, and nothing else', () => {
    const [current, old, other] = [newSecret(), newSecret(), newSecret()]
    const secrets = [stored(current), stored(old, seconds + 60)]
    expect(matchesSecret(secrets, current, NOW)).toBe(true)
    expect(matchesSecret(secrets, old, NOW)).toBe(true)
    for (const wrong of [other, '', hashSecret(current), `${current} `, current.toLowerCase()]) {
      expect(matchesSecret(secrets, wrong, NOW)).toBe(false)
    }
  })

  it('matchesSecret accepts a secret with an expiry until the moment of the expiry', () => {
    const secret = newSecret()
    const secrets = [stored(newSecret()), stored(secret, seconds + 60)]
    expect(matchesSecret(secrets, secret, NOW + 59_999)).toBe(true)
    expect(matchesSecret(secrets, secret, NOW + 60_000)).toBe(false)
  })

  it('matchesSecret is false for a client without secrets', () => {
    fc.assert(fc.property(fc.string(), (candidate) => !matchesSecret([], candidate, NOW)))
  })
})

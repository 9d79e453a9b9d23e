import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasSecret, newSecret } from '../support/secrets.ts'
import { hashSecret, type StoredSecret } from '../../src/clients/stored-secrets.ts'
import { registryOf } from '../support/registry-of.ts'

const NOW = Date.UTC(2030, 0, 1)
const seconds = NOW / 1000
const stored = (secret: string, expiresAt?: number) => ({ hash: hashSecret(secret), createdAt: 1, expiresAt })

async function clientWith(...secrets: readonly StoredSecret[]) {
  const registry = await registryOf({}, secrets)
  const client = (await registry.find('key_1'))!
  return (candidate: string, now = NOW) => hasSecret(client, candidate, now)
}

describe('hasSecret', () => {
  it('hasSecret accepts each of two live secrets, and nothing else', async () => {
    const [current, old, other] = [newSecret(), newSecret(), newSecret()]
    const has = await clientWith(stored(current), stored(old, seconds + 60))
    expect(has(current)).toBe(true)
    expect(has(old)).toBe(true)
    for (const wrong of [other, '', hashSecret(current), `${current} `, current.toLowerCase()]) {
      expect(has(wrong)).toBe(false)
    }
  })

  it('hasSecret accepts a secret with an expiry until the moment of the expiry', async () => {
    const secret = newSecret()
    const has = await clientWith(stored(newSecret()), stored(secret, seconds + 60))
    expect(has(secret, NOW + 59_999)).toBe(true)
    expect(has(secret, NOW + 60_000)).toBe(false)
  })

  it('hasSecret is false for a client without secrets', async () => {
    const has = await clientWith()
    fc.assert(fc.property(fc.string(), (candidate) => !has(candidate)))
  })
})

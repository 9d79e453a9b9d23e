import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { revokeSecret, rotateSecret } from '../../src/clients/secret-rotation.ts'
import { isLive, type StoredSecret } from '../../src/clients/stored-secrets.ts'

const NOW = Date.UTC(2030, 0, 1)
const seconds = NOW / 1000
const current = { hash: 'current', createdAt: 1 }
const old = { hash: 'old', createdAt: 1, expiresAt: seconds + 60 }
const expired = { hash: 'expired', createdAt: 1, expiresAt: seconds }
const rotate = (secrets: StoredSecret[], overlapSeconds: number) =>
  rotateSecret(secrets, { hash: 'added', hint: 'x_…1', now: NOW, overlapSeconds })
const added = { hash: 'added', createdAt: seconds, hint: 'x_…1' }

describe('rotateSecret', () => {
  it('rotateSecret puts the new secret first, the old one expires after the overlap, and expired ones are removed', () => {
    const rotated = [added, { ...current, expiresAt: seconds + 3600 }]
    expect(rotate([current], 3600)).toEqual(rotated)
    expect(rotate([current, expired], 3600)).toEqual(rotated)
    expect(rotate([current, old], 0)).toEqual([added])
    const tooMany = expect.objectContaining({ code: 'ERR_TWO_SECRETS' }) as Error
    expect(() => rotate([current, old], 3600)).toThrowError(tooMany)
  })

  it('any sequence of rotations and revocations leaves one or two live secrets', () => {
    const step = fc.record({
      what: fc.constantFrom('rotate', 'old', 'new'),
      overlapSeconds: fc.integer({ min: 0, max: 100 }),
      wait: fc.integer({ min: 0, max: 100_000 }),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let secrets: StoredSecret[] = [current]
        let now = NOW
        for (const [index, { what, overlapSeconds, wait }] of steps.entries()) {
          now += wait
          try {
            if (what === 'rotate')
              secrets = rotateSecret(secrets, { hash: `${index}`, hint: 'x_…1', now, overlapSeconds })
            else secrets = revokeSecret(secrets, what === 'old' ? 'old' : 'new', now) ?? secrets
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_(TWO|ONE)_SECRETS?$/) })
          }
          expect(secrets.length).toBeLessThanOrEqual(2)
          expect(secrets.filter((secret) => isLive(secret, now)).length).toBeGreaterThanOrEqual(1)
          expect(secrets[0]?.expiresAt).toBeUndefined()
        }
      }),
    )
  })
})

describe('revokeSecret', () => {
  it('revokeSecret removes one of two live secrets, and the one that stays does not expire', () => {
    expect(revokeSecret([current, old], 'old', NOW)).toEqual([current])
    expect(revokeSecret([current, old], 'new', NOW)).toEqual([{ hash: 'old', createdAt: 1 }])
    const onlyOne = expect.objectContaining({ code: 'ERR_ONE_SECRET' }) as Error
    for (const secrets of [[current], [current, expired]]) {
      expect(revokeSecret(secrets, 'old', NOW)).toBeUndefined()
      expect(() => revokeSecret(secrets, 'new', NOW)).toThrowError(onlyOne)
    }
  })
})

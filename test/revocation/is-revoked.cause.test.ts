import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import type { RevocableToken, Revocation } from '../../src/revocation/revocation.ts'

const until = 1_800_000_000
const token: RevocableToken = {
  tokenId: 't1',
  grantId: 'g1',
  clientId: 'c1',
  scopes: ['invoices:read', 'payments:list'],
  keyId: 'k1',
  expiresAt: until,
  claims: { access_epoch: 5, catalog_epoch: 5 },
}
function causeOf(...revocations: Revocation[]) {
  const set = createRevocationSet()
  set.add(revocations)
  return set.findCause(token)
}

describe('findCause()', () => {
  it.each<[string, Revocation, object | undefined]>([
    ['the token itself', { of: 'token', id: 't1', until }, { of: 'token' }],
    ['its grant', { of: 'grant', id: 'g1', until }, { of: 'grant' }],
    [
      'an operation that the grant lost',
      { of: 'grant', id: 'g1', scopes: ['payments:list', 'x'], until },
      { of: 'grant', scopes: ['payments:list'] },
    ],
    ['its key', { of: 'key', id: 'k1', until }, { of: 'key' }],
    ['the deletion of its client', { of: 'client', id: 'c1', until }, { of: 'client', isPermanent: true }],
    [
      'all older tokens of its client',
      { of: 'client', id: 'c1', below: 6, until },
      { of: 'client', isPermanent: false },
    ],
    [
      'a scope of its client',
      { of: 'client', id: 'c1', below: 6, scopes: ['payments:list', 'x'], until },
      { of: 'client', isPermanent: false, scopes: ['payments:list'] },
    ],
    [
      'a withdrawn operation',
      { of: 'operation', id: 'invoices:read', below: 6, until },
      { of: 'operation', scopes: ['invoices:read'] },
    ],
    ['nothing: another token', { of: 'token', id: 't2', until }, undefined],
    ['nothing: an older epoch', { of: 'client', id: 'c1', below: 5, until }, undefined],
    ['nothing: another operation', { of: 'operation', id: 'x', below: 9, until }, undefined],
  ])('names %s', (_, revocation, cause) => {
    expect(causeOf(revocation)).toEqual(cause)
  })

  it('finds a cause exactly if the token is revoked', () => {
    const id = fc.constantFrom('t1', 'g1', 'k1', 'c1', 'invoices:read', 'payments:list', 'x')
    const below = fc.integer({ min: 0, max: 9 })
    const simple = fc.record({
      of: fc.constantFrom<'token' | 'grant' | 'key'>('token', 'grant', 'key'),
      id,
      until: fc.constant(until),
    })
    const grant = fc.record({
      of: fc.constant('grant' as const),
      id,
      until: fc.integer({ min: until - 1, max: until }),
      scopes: fc.array(id, { minLength: 1 }),
    })
    const client = fc.record(
      {
        of: fc.constant('client' as const),
        id,
        until: fc.constant(until),
        below,
        scopes: fc.array(id, { minLength: 1 }),
      },
      { requiredKeys: ['of', 'id', 'until'] },
    )
    const operation = fc.record({
      of: fc.constant('operation' as const),
      id,
      below,
      until: fc.constant(until),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(simple, grant, client, operation), { maxLength: 4 }), (revocations) => {
        const set = createRevocationSet()
        set.add(revocations)
        expect(set.findCause(token) !== undefined).toBe(set.isTokenRevoked(token))
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRevocation, readRevocation, writeRevocation } from '../../src/revocation/revocation.ts'
import type { RevocableToken, Revocation } from '../../src/revocation/revocation.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'

const UNTIL = 1_800_000_000

function token(over: Partial<RevocableToken> = {}, epochs: Record<string, unknown> = {}): RevocableToken {
  return {
    tokenId: 't1',
    grantId: 'g1',
    clientId: 'c1',
    scopes: ['invoices:read', 'payments:list'],
    keyId: 'k1',
    expiresAt: UNTIL,
    claims: { access_epoch: 5, catalog_epoch: 5, ...epochs },
    ...over,
  }
}

function isRevokedBy(revocations: readonly Revocation[], one = token()): boolean {
  const set = createRevocationSet()
  set.add(revocations)
  return set.isTokenRevoked(one)
}

it('the lowest valid epoch of a client is the highest threshold of its revocations', () => {
  const set = createRevocationSet()
  expect(set.lowestValidEpoch('c1')).toBe(0)
  set.add([
    { of: 'client', id: 'c1', below: 3, until: UNTIL },
    { of: 'client', id: 'c2', below: 9, until: UNTIL },
    { of: 'operation', id: 'c1', below: 8, until: UNTIL },
  ])
  expect(set.lowestValidEpoch('c1')).toBe(3)
  set.add([{ of: 'client', id: 'c1', below: 5, scopes: ['invoices:read'], until: UNTIL }])
  set.add([{ of: 'client', id: 'c1', below: 4, until: UNTIL }])
  expect(set.lowestValidEpoch('c1')).toBe(5)
  set.add([{ of: 'client', id: 'c1', until: UNTIL }])
  expect(set.lowestValidEpoch('c1')).toBe(5)
  set.add([{ of: 'client', id: 'c3', until: UNTIL }])
  expect(set.lowestValidEpoch('c3')).toBe(0)
})

describe('tokens that a client revoked by itself', () => {
  const own = (id: string, epoch = 0, until = UNTIL) =>
    ({ of: 'token', id, clientId: 'c1', epoch, until }) as const

  it('they count once each, until they expire; what the host revoked does not count', () => {
    const set = createRevocationSet()
    set.add([own('t1'), own('t1'), own('t2', 0, UNTIL + 10_000), { of: 'token', id: 't3', until: UNTIL }])
    expect(set.countOwn('c1')).toBe(2)
    set.prune(UNTIL + 5000)
    expect(set.countOwn('c1')).toBe(1)
    expect(set.isTokenRevoked(token({ tokenId: 't2' }))).toBe(true)
    set.prune(UNTIL + 20_000)
    expect([set.countOwn('c1'), set.size]).toEqual([0, 0])
  })

  it.each(['before', 'after'])('those %s the revocation of a higher epoch take no memory', (order) => {
    const set = createRevocationSet()
    const revocations = [
      own('t1', 4),
      own('t2', 5),
      { of: 'client', id: 'c1', below: 5, until: UNTIL } as const,
    ]
    set.add(order === 'before' ? revocations : revocations.toReversed())
    expect([set.countOwn('c1'), set.size]).toEqual([1, 2])
    expect(set.isTokenRevoked(token({}, { access_epoch: 4 }))).toBe(true)
    expect(set.isTokenRevoked(token({ tokenId: 't2' }, { access_epoch: 5 }))).toBe(true)
    expect(set.isTokenRevoked(token({ tokenId: 't4' }, { access_epoch: 5 }))).toBe(false)
    expect(set.coveredByNextEpoch('c1')).toEqual([
      own('t2', 5),
      { of: 'client', id: 'c1', below: 5, until: UNTIL },
    ])
  })
})

describe('isTokenRevoked()', () => {
  it('a token without valid epochs counts as a token of epoch 0', () => {
    const old = token({}, { access_epoch: undefined, catalog_epoch: 'five' })
    expect(isRevokedBy([{ of: 'client', id: 'c1', below: 1, until: UNTIL }], old)).toBe(true)
    expect(isRevokedBy([{ of: 'operation', id: 'invoices:read', below: 1, until: UNTIL }], old)).toBe(true)
    expect(isRevokedBy([{ of: 'client', id: 'c1', below: 0, until: UNTIL }], old)).toBe(false)
  })

  it('ids such as __proto__, constructor and toString are ordinary ids', () => {
    const odd = token({ tokenId: '__proto__', grantId: 'constructor', clientId: 'toString' })
    expect(isRevokedBy([], odd)).toBe(false)
    expect(isRevokedBy([{ of: 'token', id: '__proto__', until: UNTIL }], odd)).toBe(true)
    expect(isRevokedBy([{ of: 'client', id: 'toString', until: UNTIL }], odd)).toBe(true)
  })

  it('a scope of a grant is revoked until its revocation is over, and pruning leaves nothing of it', () => {
    const set = createRevocationSet()
    set.add([{ of: 'grant', id: 'g1', scopes: ['payments:list', 'x:y'], until: UNTIL }])
    const isRevokedAt = (now: number) => set.isGrantScopeRevoked('g1', 'payments:list', now)
    expect([isRevokedAt(UNTIL - 1), isRevokedAt(UNTIL)]).toEqual([true, false])
    expect(set.isGrantScopeRevoked('g1', 'invoices:read', 0)).toBe(false)
    expect(set.isGrantScopeRevoked('g2', 'payments:list', 0)).toBe(false)
    expect(set.size).toBe(2)
    set.prune(UNTIL + 599)
    expect([set.isTokenRevoked(token()), set.size]).toEqual([true, 2])
    set.prune(UNTIL + 600)
    expect([set.isTokenRevoked(token()), set.size]).toEqual([false, 0])
  })

  it('no grant revocation covers a token without a grant', () => {
    const direct = token({ grantId: undefined })
    expect(isRevokedBy([{ of: 'grant', id: 'undefined', until: UNTIL }], direct)).toBe(false)
  })
})

const anId = fc.constantFrom('a', 'b')
const aScope = fc.constantFrom('invoices:read', 'payments:list', 'x:y')
const anEnd = fc.integer({ min: 1000, max: 1010 })
const anEpoch = fc.integer({ min: 0, max: 4 })
const aRevocation: fc.Arbitrary<Revocation> = fc.oneof(
  fc.record({ of: fc.constantFrom('token', 'grant', 'key'), id: anId, until: anEnd }),
  fc.record(
    { of: fc.constant('client' as const), id: anId, below: anEpoch, scopes: fc.array(aScope), until: anEnd },
    { requiredKeys: ['of', 'id', 'until'] },
  ),
  fc.record({ of: fc.constant('grant' as const), id: anId, scopes: fc.array(aScope), until: anEnd }),
  fc.record({ of: fc.constant('operation' as const), id: aScope, below: anEpoch, until: anEnd }),
)
const aToken: fc.Arbitrary<RevocableToken> = fc.record({
  tokenId: anId,
  grantId: fc.option(anId, { nil: undefined }),
  clientId: anId,
  scopes: fc.subarray(['invoices:read', 'payments:list', 'x:y']),
  keyId: anId,
  claims: fc.record({ access_epoch: anEpoch, catalog_epoch: anEpoch }),
  expiresAt: anEnd,
})

/** The model, which follows the definition of `Revocation` word by word. */
function covers(
  revocation: Revocation,
  { tokenId, grantId, clientId, keyId, ...of }: RevocableToken,
): boolean {
  const epochs = of.claims as { access_epoch: number; catalog_epoch: number }
  if (revocation.of === 'operation') {
    return of.scopes.includes(revocation.id) && epochs.catalog_epoch < revocation.below
  }
  if (revocation.of === 'grant' && revocation.scopes) {
    const isCarried = revocation.scopes.some((scope) => of.scopes.includes(scope))
    return grantId === revocation.id && isCarried && of.expiresAt <= revocation.until
  }
  if (revocation.of !== 'client') {
    return { token: tokenId, grant: grantId, key: keyId }[revocation.of] === revocation.id
  }
  const { id, below, scopes } = revocation
  const isCarried = scopes === undefined || scopes.some((scope) => of.scopes.includes(scope))
  return clientId === id && isCarried && (below === undefined || epochs.access_epoch < below)
}

describe('the precedence of revocations', () => {
  it('a token is revoked, with a cause, if any revocation covers it, even if revocations arrive repeatedly and in a different order', () => {
    fc.assert(
      fc.property(
        fc.array(aRevocation, { maxLength: 12 }).chain((made) =>
          fc.tuple(
            fc.constant(made),
            // The revocations arrive in a random order, and some of them arrive twice.
            fc
              .tuple(fc.shuffledSubarray(made), fc.shuffledSubarray(made, { minLength: made.length }))
              .map((parts) => parts.flat()),
          ),
        ),
        aToken,
        ([made, received], one) => {
          const revoked = made.some((revocation) => covers(revocation, one))
          for (const revocations of [received, made]) {
            const set = createRevocationSet()
            set.add(revocations)
            expect(set.isTokenRevoked(one)).toBe(revoked)
            expect(set.findCause(one) !== undefined).toBe(revoked)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('pruning changes nothing for tokens that have not expired', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(aRevocation, fc.integer({ min: 900, max: 1800 })), { maxLength: 20 }),
        aToken,
        fc.integer({ min: 900, max: 1009 }),
        (steps, one, now) => {
          const set = createRevocationSet()
          const made: Revocation[] = []
          for (const step of steps) {
            if (typeof step === 'number') {
              set.prune(Math.min(step, now))
              continue
            }
            // A revocation lasts until the last token that it covers has expired. A revocation that does not
            // cover this token may end long before the token expires.
            const until = covers(step, one) ? Math.max(step.until, one.expiresAt) : step.until - 700
            made.push({ ...step, until })
            set.add(made.slice(-1))
          }
          set.prune(now)
          if (now < one.expiresAt) {
            expect(set.isTokenRevoked(one)).toBe(made.some((revocation) => covers(revocation, one)))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('if a token, a grant, a key or a client is revoked several times with different ends, the latest end counts, whatever the order', () => {
    const made = [
      { of: 'token', id: 't1' },
      { of: 'grant', id: 'g1' },
      { of: 'key', id: 'k1' },
      { of: 'client', id: 'c1' },
    ] as const
    for (const revocation of made) {
      for (const ends of [
        [1000, 9000],
        [9000, 1000],
      ]) {
        const set = createRevocationSet()
        for (const until of ends) set.add([{ ...revocation, until }])
        set.prune(8999)
        expect([revocation.of, ends, set.isTokenRevoked(token())]).toEqual([revocation.of, ends, true])
      }
    }
  })

  it('a revocation that was pruned too early is restored when it is added again', () => {
    const revocation = { of: 'client', id: 'c1', below: 6, until: 1000 } as const
    const set = createRevocationSet()
    set.add([revocation])
    set.prune(5_000_000)
    expect(set.isTokenRevoked(token())).toBe(false)
    set.add([revocation])
    expect(set.isTokenRevoked(token())).toBe(true)
  })
})

describe('the size of the revocation set', () => {
  it('the size counts all revocations, and is zero after all were pruned', () => {
    fc.assert(
      fc.property(fc.array(aRevocation, { maxLength: 30 }), (made) => {
        const set = createRevocationSet()
        set.add(made)
        set.add(made)
        const different = made.flatMap((revocation) => {
          const { of, id } = revocation
          const { scopes = [''] } = of === 'client' || of === 'grant' ? revocation : {}
          return scopes.map((scope) => `${of} ${id} ${scope}`)
        })
        expect(set.size).toBe(new Set(different).size)
        set.prune(1610)
        expect(set.size).toBe(0)
      }),
    )
  })
})

describe('findCause()', () => {
  it('findCause() names the cause, and the scopes of the token that were revoked', () => {
    const until = UNTIL
    const cases: [Revocation, object | undefined][] = [
      [{ of: 'token', id: 't1', until }, { of: 'token' }],
      [{ of: 'grant', id: 'g1', until }, { of: 'grant' }],
      [
        { of: 'grant', id: 'g1', scopes: ['payments:list', 'x'], until },
        { of: 'grant', scopes: ['payments:list'] },
      ],
      [{ of: 'key', id: 'k1', until }, { of: 'key' }],
      [
        { of: 'client', id: 'c1', until },
        { of: 'client', isPermanent: true },
      ],
      [
        { of: 'client', id: 'c1', below: 6, until },
        { of: 'client', isPermanent: false },
      ],
      [
        { of: 'client', id: 'c1', below: 6, scopes: ['payments:list', 'x'], until },
        { of: 'client', isPermanent: false, scopes: ['payments:list'] },
      ],
      [
        { of: 'operation', id: 'invoices:read', below: 6, until },
        { of: 'operation', scopes: ['invoices:read'] },
      ],
      [{ of: 'token', id: 't2', until }, undefined],
      [{ of: 'client', id: 'c1', below: 5, until }, undefined],
      [{ of: 'operation', id: 'x', below: 9, until }, undefined],
    ]
    for (const [revocation, cause] of cases) {
      const set = createRevocationSet()
      set.add([revocation])
      expect([revocation, set.findCause(token())]).toEqual([revocation, cause])
    }
  })
})

describe('onAdded()', () => {
  it('a listener is called for each addition, until it unsubscribes', () => {
    const set = createRevocationSet()
    let calls = 0
    const end = set.onAdded(() => (calls += 1))
    set.add([])
    expect(calls).toBe(0)
    set.add([{ of: 'token', id: 't1', until: UNTIL }])
    expect(calls).toBe(1)
    end()
    set.add([{ of: 'token', id: 't2', until: UNTIL }])
    expect(calls).toBe(1)
  })
})

describe('the text of a revocation', () => {
  it('a revocation is read as it was written, and equal revocations have equal texts', () => {
    fc.assert(
      fc.property(aRevocation, (revocation) => {
        const backwards = Object.fromEntries(Object.entries(revocation).toReversed()) as unknown as Revocation
        expect(readRevocation(writeRevocation(revocation))).toEqual(revocation)
        expect(writeRevocation(backwards)).toBe(writeRevocation(revocation))
      }),
    )
  })

  it('readRevocation() returns undefined for a text that is no revocation', () => {
    const texts = [
      'nonsense',
      'null',
      '[]',
      '"token"',
      '{"of":"planet","id":"x","until":1}',
      '{"of":"token","id":"","until":1}',
      '{"of":"token","id":7,"until":1}',
      '{"of":"token","id":"x"}',
      '{"of":"token","id":"x","until":"1"}',
      '{"of":"token","id":"x","until":-1}',
      '{"of":"token","id":"x","until":1e300}',
      '{"of":"operation","id":"x","until":1}',
      '{"of":"operation","id":"x","below":-1,"until":1}',
      '{"of":"client","id":"x","below":null,"until":1}',
      '{"of":"client","id":"x","below":1.5,"until":1}',
      '{"of":"client","id":"x","scopes":"a","until":1}',
      '{"of":"client","id":"x","scopes":[""],"until":1}',
      '{"of":"__proto__","id":"x","until":1}',
    ]
    expect(texts.filter((text) => readRevocation(text) !== undefined)).toEqual([])
  })

  it('asRevocation() drops unknown fields', () => {
    const value = { of: 'grant', id: 'g1', until: 1, below: 3, since: 4 }
    expect(asRevocation(value)).toEqual({ of: 'grant', id: 'g1', until: 1 })
  })
})

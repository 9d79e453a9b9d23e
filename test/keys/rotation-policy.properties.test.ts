import assert from 'node:assert/strict'
import fc from 'fast-check'
import { it } from 'vitest'
import { ALGORITHMS, type SigningAlgorithm } from '../../src/keys/generate-key.ts'
import {
  advance,
  canSign,
  endOf,
  replenish,
  inState,
  missingNext,
  STALE_AFTER_SECONDS,
  revoke,
  rotate,
  retentionOf,
  type KeyStep,
  type RingKey,
} from '../../src/keys/rotation-policy.ts'

const HOUR = 3600
/** Access tokens live longer than a key signs, so several previous keys are published at the same time. */
const LIFE = { ES256: 20 * HOUR, RS256: HOUR }
const policy = {
  rotateAfter: 8 * HOUR,
  publishAhead: HOUR,
  tail: { ES256: retentionOf(LIFE.ES256), RS256: retentionOf(LIFE.RS256) },
}
/** For each of the three processes, the seconds by which its clock is ahead of the true time. */
const SKEW = [-30, 0, 30] as const

/** The kind of a moment: the state of a key ends, a token expires, or the keys of a process become stale. */
type Moment = 'end' | 'expiry' | 'stale'

type Crash = 'before' | 'after' | undefined

type Action =
  | { do: 'wait'; seconds: number }
  /** Time passes until shortly before or after a moment of the kind `what`. */
  | { do: 'await'; what: Moment; which: number; seconds: number }
  /** A process signs with its keys. If the keys are stale, the process polls the ring first. */
  | { do: 'sign'; by: number; alg: SigningAlgorithm }
  /** A process reads the ring and changes the ring. The process may crash before or after the write. */
  | { do: 'poll' | 'replenish' | 'rotate'; by: number; crash?: Crash }
  | { do: 'revoke'; by: number; which: number; crash?: Crash }

const by = fc.integer({ min: 0, max: 2 })
const crash = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('before' as const, 'after' as const) },
)
const seconds = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 10 * HOUR }))
const moment = {
  do: fc.constant('await' as const),
  what: fc.constantFrom<Moment[]>('end', 'expiry', 'stale'),
  which: fc.nat(50),
  seconds: fc.integer({ min: -31, max: 31 }),
}
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...moment,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('sign' as const), by, alg: fc.constantFrom(...ALGORITHMS) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('poll' as const, 'poll', 'replenish', 'rotate'), by, crash }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), by, which: fc.nat(20), crash }) },
)

/** Creates a model of three processes on one ring. */
function createWorld() {
  let time = 1_800_000_000
  let made = 0
  const make = (algorithms: readonly SigningAlgorithm[] = ALGORITHMS) =>
    algorithms.map((alg): RingKey => ({
      kid: `${alg} ${(made += 1)}`,
      alg,
      state: 'next',
      createdAt: 0,
      since: 0,
    }))
  let ring = replenish(replenish<RingKey>([], time, make()).keys, time, make()).keys
  const known = SKEW.map(() => ({ keys: ring, at: time }))
  const tokens: { kid: string; alg: SigningAlgorithm; exp: number }[] = []
  const publishedAt = new Map(ring.map(({ kid }) => [kid, time]))
  const revoked = new Set<string>()

  function change(
    process: number,
    crashPoint: string | undefined,
    isManual: boolean,
    stepOf: () => KeyStep<RingKey>,
  ): void {
    const before = ring
    const { keys, changes } = stepOf()
    if (crashPoint === 'before') return
    ring = keys
    for (const { what, kid } of changes) {
      if (what === 'published') publishedAt.set(kid, time)
      if (what === 'revoked') revoked.add(kid)
      // Unless an operator rotates or revokes a key, a key becomes current only after all processes can
      // know it.
      const hadAnother = before.some((key) => key.state === 'current' && key.alg === kid.slice(0, 5))
      if (what === 'activated' && !isManual && hadAnother) {
        const ahead = time - (publishedAt.get(kid) ?? time)
        assert.ok(ahead >= policy.publishAhead - 60, `${kid} signs ${ahead} s after it was published`)
      }
    }
    if (crashPoint === undefined) known[process] = { keys: ring, at: time }
  }

  function poll(process: number, crashPoint?: 'before' | 'after'): void {
    const now = time + (SKEW[process] ?? 0)
    change(process, crashPoint, false, () => advance(ring, now, policy, canSign(ring) ? [] : make()))
  }

  return {
    act(what: Action): void {
      if (what.do === 'wait') {
        time += what.seconds
        return
      }
      if (what.do === 'await') {
        const instants = {
          end: ring.map((key) => endOf(ring, key, policy) ?? 0),
          expiry: tokens.map(({ exp }) => exp),
          stale: known.map(({ at }) => at + STALE_AFTER_SECONDS),
        }[what.what].filter((instant) => instant > time)
        time = Math.max(time, (instants[what.which % instants.length] ?? time) + what.seconds)
        return
      }
      const now = time + (SKEW[what.by] ?? 0)
      if (what.do === 'sign') {
        if (time - (known[what.by]?.at ?? 0) > STALE_AFTER_SECONDS) poll(what.by)
        const { keys = [] } = known[what.by] ?? {}
        const signing = inState(keys, 'current').find(({ alg }) => alg === what.alg)
        assert.ok(signing)
        tokens.push({ kid: signing.kid, alg: what.alg, exp: now + LIFE[what.alg] })
      } else if (what.do === 'poll') poll(what.by, what.crash)
      else if (what.do === 'replenish') {
        change(what.by, what.crash, false, () => replenish(ring, now, make(missingNext(ring))))
      } else if (what.do === 'rotate') {
        const replaced = inState(ring, 'current').map(({ kid }) => kid)
        change(what.by, what.crash, true, () => rotate(ring, now, make(), replaced))
      } else if ('which' in what) {
        const key = ring[what.which % ring.length]
        if (!key) return
        const hasNext = ring.some(({ alg, state }) => alg === key.alg && state === 'next')
        change(what.by, what.crash, true, () => revoke(ring, now, hasNext ? [] : make([key.alg]), key.kid))
      }
    },

    // Plain assertions are faster than expect(). They run a million times.
    check(): void {
      for (const alg of ALGORITHMS) {
        assert.equal(
          inState(ring, 'current').filter((key) => key.alg === alg).length,
          1,
          `one current ${alg}`,
        )
        assert.ok(inState(ring, 'next').filter((key) => key.alg === alg).length <= 1, `one next ${alg}`)
      }
      assert.equal(new Set(ring.map(({ kid }) => kid)).size, ring.length)
      const published = inState(ring, 'next', 'current', 'previous').map(({ kid }) => kid)
      const listedRevoked = inState(ring, 'revoked').map(({ kid }) => kid)
      for (const kid of published) assert.ok(!revoked.has(kid), `${kid} is revoked and published`)
      // On the slowest clock, tokens expire 30 seconds later. Until then their keys must be listed.
      for (const { kid } of tokens.filter(({ exp }) => time - 30 < exp)) {
        // While a revoked key is listed, each process that reads the ring rejects the tokens of the key.
        assert.ok((revoked.has(kid) ? listedRevoked : published).includes(kid), `${kid} is missing`)
      }
    },
  }
}

it('in any sequence of events one key of each algorithm signs, and valid tokens can be verified until they expire', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 80 }), (actions) => {
      const world = createWorld()
      for (const each of actions) {
        world.act(each)
        world.check()
      }
    }),
    { numRuns: 300 },
  )
})

it('a process that sees a rotation as late as possible signs only tokens that can be verified until they expire', () => {
  const some = fc.array(action, { maxLength: 3 })
  const awaiting = (what: Moment) => fc.record({ ...moment, what: fc.constant(what) })
  const scenario = fc.tuple(
    by,
    by,
    by,
    fc.constantFrom(...ALGORITHMS),
    awaiting('stale'),
    awaiting('end'),
    some,
    some,
  )
  fc.assert(
    fc.property(
      scenario,
      ([staleProcess, rotatingProcess, retiringProcess, alg, wait, end, before, after]) => {
        const world = createWorld()
        const actions: Action[] = [
          ...before,
          { do: 'poll', by: staleProcess },
          { do: 'rotate', by: rotatingProcess },
          wait,
          { do: 'sign', by: staleProcess, alg },
          ...after,
          end,
          { do: 'poll', by: retiringProcess },
        ]
        for (const each of actions) {
          world.act(each)
          world.check()
        }
      },
    ),
    { numRuns: 1000 },
  )
})

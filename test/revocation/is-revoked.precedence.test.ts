import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { silentLogger } from '../../src/host/logger.ts'
import { createRevocationFollower } from '../../src/revocation/revocation-follower.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import type { RevocableToken } from '../../src/revocation/revocation.ts'
import type { RevocationSpec } from '../../src/revocation/kept-until.ts'
import { createRevocations } from '../../src/revocation/revoke-tokens.ts'

/** These tests compare several processes with a simple model. The processes share a store, not a clock. */

const START = Date.UTC(2027, 0, 10, 12)
const LONGEST = 864_000
const PROCESSES = 3
const CLIENTS = 2
const SCOPES = ['invoices:read', 'payments:list', 'reports:read']

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

interface IssuedToken extends RevocableToken {
  readonly expiresAt: number
  isRevoked: boolean
}

/**
 * Creates a process that receives messages unless its subscription is lost. The process reads the log only
 * when the test calls `readAll()`.
 */
function createProcess(store: Store, skewMs: number) {
  let isSubscriptionLost = false
  const messages: string[] = []
  const processStore: Store = {
    ...store,
    publish(channel, message) {
      messages.push(message)
      return store.publish(channel, message)
    },
    subscribe: (channel, listener, missed) =>
      store.subscribe(channel, (message) => (isSubscriptionLost ? undefined : listener(message)), missed),
  }
  const now = () => Date.now() + skewMs
  const log = createRevocationLog(processStore, { now })
  const set = createRevocationFollower({
    source: log,
    // The interval is so long that the follower reads only when the test calls `start()`.
    policy: { pollIntervalSeconds: 1e6, whenStale: 'serve', maxStalenessSeconds: 60 },
    logger: silentLogger,
    now,
  })
  const longestLifetime = createLongestLifetime(processStore, LONGEST)
  const revocations = createRevocations({
    log,
    set,
    longestLifetime,
    now,
  })
  return {
    set,
    close: set.close,
    messages,
    skewMs,
    seconds: () => Math.floor(now() / 1000),
    revoke: revocations.revoke,
    /** Reads all revocations. A repeated `start()` reads all revocations again. */
    readAll: () => set.start(),
    loseSubscription: () => void (isSubscriptionLost = true),
    restoreSubscription: () => void (isSubscriptionLost = false),
  }
}

async function createWorld(skews: readonly number[]) {
  const store = memoryStore()
  const processes = skews.map((skew) => createProcess(store, skew))
  await Promise.all(processes.map((each) => each.readAll()))
  /** The epoch of each client, which its new tokens carry. In a service, the store contains the epochs. */
  const epochs = Array.from({ length: CLIENTS }, () => 0)
  const deleted = new Set<number>()
  let catalogEpoch = 0
  let key = 0
  let revokedGrants = 0
  const tokens: IssuedToken[] = []
  const published: string[] = []

  function markRevoked(which: (token: IssuedToken) => boolean): void {
    for (const token of tokens) if (which(token)) token.isRevoked = true
  }

  const at = (index: number) => {
    const found = processes[index % PROCESSES]
    if (!found) throw new Error('there is no such process')
    return found
  }

  async function revoke(by: number, ...specs: RevocationSpec[]): Promise<void> {
    await at(by).revoke(...specs)
  }

  /**
   * Checks that a process rejects no valid token and, if `hasReadAll` is true, rejects every revoked token.
   */
  function check(index: number, hasReadAll: boolean): void {
    const process = at(index)
    for (const token of tokens) {
      const isTokenRevoked = process.set.isTokenRevoked(token)
      const about = `${JSON.stringify(token)} at process ${index}`
      if (!token.isRevoked) expect(isTokenRevoked, `valid: ${about}`).toBe(false)
      else if (hasReadAll && token.expiresAt > process.seconds())
        expect(isTokenRevoked, `revoked: ${about}`).toBe(true)
    }
  }

  const steps = {
    issue(by: number, client: number, what: number) {
      if (deleted.has(client)) return
      tokens.push({
        tokenId: `jti${tokens.length}`,
        // A revoked grant issues no tokens, so each token belongs to a grant that is not revoked yet.
        grantId: what % 2 ? `g${what % 3} after ${revokedGrants}` : undefined,
        clientId: `c${client}`,
        scopes: SCOPES.filter((_, index) => what & (1 << index)),
        keyId: `k${key}`,
        claims: { access_epoch: epochs[client], catalog_epoch: catalogEpoch },
        expiresAt: at(by).seconds() + [60, 3600, LONGEST][what % 3]!,
        isRevoked: false,
      })
    },
    async revokeClient(by: number, client: number, what: number) {
      const below = (epochs[client] = (epochs[client] ?? 0) + 1)
      const scopes = what < 8 ? SCOPES.filter((_, index) => what & (1 << index)) : undefined
      markRevoked(
        ({ clientId, scopes: its }) =>
          clientId === `c${client}` && (scopes === undefined || scopes.some((scope) => its.includes(scope))),
      )
      await revoke(by, { of: 'client', id: `c${client}`, below, scopes })
    },
    async revokeAgain(by: number, client: number, what: number) {
      // Repeats an earlier revocation. The repetition must neither restore a token nor revoke another token.
      const now = epochs[client] ?? 0
      const below = Math.max(0, now - (what % 3))
      const token = { of: 'client', id: `c${client}`, below, scopes: [] } as const
      await revoke(by, token)
      const revoked = tokens.filter(({ isRevoked, clientId }) => isRevoked && clientId === `c${client}`)
      const last = revoked[what % Math.max(1, revoked.length)]
      if (last) await revoke(by, { of: 'token', id: last.tokenId, until: last.expiresAt })
    },
    async deleteClient(by: number, client: number, what: number) {
      if (what % 4) return
      deleted.add(client)
      markRevoked(({ clientId }) => clientId === `c${client}`)
      await revoke(by, { of: 'client', id: `c${client}` })
    },
    async revokeToken(by: number, _: number, what: number) {
      const token = tokens[what % Math.max(1, tokens.length)]
      if (!token) return
      token.isRevoked = true
      await revoke(by, { of: 'token', id: token.tokenId, until: token.expiresAt })
    },
    async revokeGrant(by: number, _: number, what: number) {
      const id = tokens[what % Math.max(1, tokens.length)]?.grantId
      if (id === undefined) return
      revokedGrants += 1
      markRevoked(({ grantId }) => grantId === id)
      await revoke(by, { of: 'grant', id })
    },
    async revokeKey(by: number) {
      const id = `k${key}`
      key += 1
      markRevoked(({ keyId }) => keyId === id)
      await revoke(by, { of: 'key', id })
    },
    async revokeOperation(by: number, _: number, what: number) {
      const id = SCOPES[what % 3]!
      catalogEpoch += 1
      markRevoked(({ scopes }) => scopes.includes(id))
      await revoke(by, { of: 'operation', id, below: catalogEpoch })
    },
    pass(_: number, __: number, what: number) {
      vi.advanceTimersByTime([400, 20_000, 100_000, 700_000, 1_200_000, 4_000_000][what % 6]!)
    },
    passDays(_: number, __: number, what: number) {
      if (what % 4 === 0) vi.advanceTimersByTime(5 * 86_400_000)
    },
    loseSubscription: (by: number) => at(by).loseSubscription(),
    async readAll(by: number) {
      at(by).restoreSubscription()
      await at(by).readAll()
      check(by % PROCESSES, true)
    },
    async restart(by: number, _: number, what: number) {
      const before = at(by)
      published.push(...before.messages)
      await before.close()
      const after = createProcess(store, what % 2 ? before.skewMs : -before.skewMs)
      processes[by % PROCESSES] = after
      await after.readAll()
      check(by % PROCESSES, true)
    },
    async repeatMessages(_: number, __: number, what: number) {
      const all = [...published, ...processes.flatMap(({ messages }) => messages)]
      // The messages arrive in a different order than they were sent.
      for (const message of all.toReversed().slice(0, what)) await store.publish('revocations', message)
    },
    prune(by: number) {
      at(by).set.prune(at(by).seconds())
    },
  }

  return {
    async run(name: keyof typeof steps, by: number, client: number, what: number) {
      await steps[name](by, client, what)
      for (let index = 0; index < PROCESSES; index += 1) check(index, false)
    },
    async end() {
      for (let index = 0; index < PROCESSES; index += 1) {
        await steps.readAll(index)
        await steps.restart(index, 0, 1)
        await at(index).close()
      }
      return tokens
    },
    names: Object.keys(steps) as (keyof typeof steps)[],
  }
}

const names: fc.Arbitrary<Parameters<Awaited<ReturnType<typeof createWorld>>['run']>[0]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant('issue' as const) },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'revokeClient',
      'revokeAgain',
      'deleteClient',
      'revokeToken',
      'revokeGrant',
      'revokeKey',
      'revokeOperation',
    ),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'pass',
      'passDays',
      'loseSubscription',
      'readAll',
      'restart',
      'repeatMessages',
      'prune',
    ),
  },
)

describe('the revocations of several processes', () => {
  it('all processes agree with the model after any sequence of new tokens, revocations, lost subscriptions, repeated messages and restarts', async () => {
    let [revoked, valid] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -30_000, max: 30_000 }), { minLength: PROCESSES, maxLength: PROCESSES }),
        fc.array(fc.tuple(names, fc.nat(PROCESSES - 1), fc.nat(CLIENTS - 1), fc.nat(15)), {
          minLength: 10,
          maxLength: 60,
          size: 'max',
        }),
        async (skews, steps) => {
          vi.setSystemTime(START)
          const world = await createWorld(skews)
          for (const step of steps) await world.run(...step)
          const tokens = await world.end()
          revoked += tokens.filter(({ isRevoked }) => isRevoked).length
          valid += tokens.filter(({ isRevoked }) => !isRevoked).length
        },
      ),
      { numRuns: 40 },
    )
    // The runs had enough revoked tokens and enough valid tokens.
    expect(Math.min(revoked, valid)).toBeGreaterThan(40)
  })
})

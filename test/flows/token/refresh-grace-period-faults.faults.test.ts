import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { FAULTS, faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { connect, startHost, type Host } from '../../support/host.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

/**
 * Milliseconds that a store call may take in these tests. The limit is short, so that the tests wait only a
 * short time for unanswered calls.
 */
const DEADLINE_MS = 40

describe('a failing store during the grace period of refresh tokens', () => {
  let store: Store
  /** The process whose store fails. */
  let faultyHost: Host
  let faulty: FaultyStore
  /** Another process on the same data. Its store does not fail. */
  let intactHost: Host
  let client: Client
  let current: string
  let reused: number

  beforeEach(async () => {
    store = memoryStore()
    faulty = faultyStore(store, { lateBy: 2 * DEADLINE_MS })
    const secret = 'a secret for tests, long enough to be one'
    const gatehouse = { secret, refreshTokenGraceSeconds: 60 }
    faultyHost = await startHost({
      store: faulty.store,
      gatehouse: { ...gatehouse, storeTimeoutMs: DEADLINE_MS },
    })
    const { issuer, audience } = faultyHost
    intactHost = await startHost({ store, gatehouse: { ...gatehouse, issuer, audience } })
    client = await faultyHost.createApplication()
    await intactHost.gatehouse.ready()
    reused = 0
    for (const { gatehouse: each } of [faultyHost, intactHost])
      each.on('refresh_token.reused', () => (reused += 1))
    current = (await connect(faultyHost, client)).refresh_token
    // The first refresh also records the last use of the client. It runs here, so that all refreshes of a
    // test make the same store calls.
    current = requireAnswer(await refresh(faultyHost, current))
  })
  afterEach(async () => {
    expect(reused).toBe(0)
    await faultyHost.close()
    await intactHost.close()
  })

  const refresh = (at: Host, token: string) =>
    at.post(`${at.origin}/auth/oauth2/token`, {
      ...client,
      grant_type: 'refresh_token',
      refresh_token: token,
    })

  /** Returns the next refresh token of a response, which must be successful. */
  function requireAnswer({ status, body }: Answer, what?: string): string {
    expect({ what, status, error: body['error'] }).toEqual({ what, status: 200 })
    return String(body['refresh_token'])
  }

  /** Returns the next refresh token of a response, or `undefined` if the response is a 503. */
  function tokenUnlessUnavailable(answer: Answer, what: string): string | undefined {
    if (answer.status === 200) return requireAnswer(answer, what)
    expect({ what, status: answer.status, error: answer.body['error'] }).toEqual({
      what,
      status: 503,
      error: 'temporarily_unavailable',
    })
    return undefined
  }

  /** Counts the store calls of a refresh. */
  async function countCalls(token: string): Promise<number> {
    faulty.arm()
    requireAnswer(await refresh(faultyHost, token))
    return faulty.calls.length
  }

  /** Asserts that the refresh token is valid in both processes. */
  async function prove(next: string, what: string): Promise<void> {
    const after = requireAnswer(await refresh(faultyHost, next), what)
    expect({ what, next: requireAnswer(await refresh(intactHost, next), what) }).toEqual({
      what,
      next: after,
    })
    current = requireAnswer(await refresh(intactHost, after), what)
  }

  it('after a fault at any store call of a refresh, another process accepts a retry immediately', async () => {
    const calls = await countCalls(current)
    current = requireAnswer(await refresh(faultyHost, current))
    expect(calls).toBeGreaterThan(2)
    let repeated = 0
    for (let call = 0; call < calls; call += 1) {
      for (const fault of FAULTS) {
        const what = `${fault} call ${call}`
        faulty.arm(call, fault, { thenAway: true })
        const first = tokenUnlessUnavailable(await refresh(faultyHost, current), what)
        const second = requireAnswer(await refresh(intactHost, current), what)
        if (first !== undefined) expect({ what, second }).toEqual({ what, second: first })
        // The client now has the next refresh token. The token stays valid when the store of the first
        // process is available again.
        faulty.comeBack()
        await faulty.settled()
        expect({ what, third: requireAnswer(await refresh(faultyHost, current), what) }).toEqual({
          what,
          third: second,
        })
        await prove(second, what)
        repeated += 1
      }
    }
    expect(repeated).toBe(calls * FAULTS.length)
  })

  it('after a fault at any store call of a retry, both processes accept another retry', async () => {
    const next = requireAnswer(await refresh(intactHost, current))
    const calls = await countCalls(current)
    let predecessor = current
    let successor = next
    for (let call = 0; call < calls; call += 1) {
      for (const fault of FAULTS) {
        const what = `${fault} call ${call}`
        ;[predecessor, successor] = [successor, requireAnswer(await refresh(intactHost, successor), what)]
        faulty.arm(call, fault)
        const first = tokenUnlessUnavailable(await refresh(faultyHost, predecessor), what)
        faulty.arm()
        await faulty.settled()
        for (const process of [faultyHost, intactHost]) {
          const again = requireAnswer(await refresh(process, predecessor), what)
          expect({ what, again }).toEqual({ what, again: successor })
        }
        if (first !== undefined) expect({ what, first }).toEqual({ what, first: successor })
      }
    }
    await prove(successor, 'after all faults')
  })
})

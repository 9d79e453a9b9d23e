import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { FAULTS, faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { connect, startHost, type Host } from '../../support/host.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

/** Milliseconds that a call to the store may take here, so that a silent one costs the test little. */
const DEADLINE = 40

describe('a store that fails, with refreshTokenGraceSeconds', () => {
  let store: Store
  /** The process whose store fails, and another on the same data. */
  let here: Host
  let faulty: FaultyStore
  let there: Host
  let client: Client
  let current: string
  let reused: number

  beforeEach(async () => {
    store = memoryStore()
    faulty = faultyStore(store, { lateBy: 2 * DEADLINE })
    const secret = 'a secret for tests, long enough to be one'
    const gatehouse = { secret, refreshTokenGraceSeconds: 60 }
    here = await startHost({ store: faulty.store, gatehouse: { ...gatehouse, storeTimeoutMs: DEADLINE } })
    const { issuer, audience } = here
    there = await startHost({ store, gatehouse: { ...gatehouse, issuer, audience } })
    client = await here.createApplication()
    await there.gatehouse.ready()
    reused = 0
    for (const { gatehouse: each } of [here, there]) each.on('refresh_token.reused', () => (reused += 1))
    current = (await connect(here, client)).refresh_token
    // The first request notes when the client was last used.
    current = requireAnswer(await refresh(here, current))
  })
  afterEach(async () => {
    expect(reused).toBe(0)
    await here.close()
    await there.close()
  })

  const refresh = (at: Host, token: string) =>
    at.post(`${at.origin}/auth/oauth2/token`, {
      ...client,
      grant_type: 'refresh_token',
      refresh_token: token,
    })

  /** The next refresh token. */
  function requireAnswer({ status, body }: Answer, what?: string): string {
    expect({ what, status, error: body['error'] }).toEqual({ what, status: 200 })
    return String(body['refresh_token'])
  }

  /** Undefined if there was none, but a 503. */
  function answered(answer: Answer, what: string): string | undefined {
    if (answer.status === 200) return requireAnswer(answer, what)
    expect({ what, status: answer.status, error: answer.body['error'] }).toEqual({
      what,
      status: 503,
      error: 'temporarily_unavailable',
    })
    return undefined
  }

  /** What a request asks of the store, which is told by doing it. */
  async function callsOf(token: string): Promise<number> {
    faulty.arm()
    requireAnswer(await refresh(here, token))
    return faulty.calls.length
  }

  /** That there is one living token, in both processes. */
  async function prove(next: string, what: string): Promise<void> {
    const after = requireAnswer(await refresh(here, next), what)
    expect({ what, next: requireAnswer(await refresh(there, next), what) }).toEqual({ what, next: after })
    current = requireAnswer(await refresh(there, after), what)
  }

  test('a fault at any call of a refresh: it can be tried again at another process at once', async () => {
    const calls = await callsOf(current)
    current = requireAnswer(await refresh(here, current))
    expect(calls).toBeGreaterThan(2)
    let repeated = 0
    for (let at = 0; at < calls; at += 1) {
      for (const fault of FAULTS) {
        const what = `${fault} call ${at}`
        faulty.arm(at, fault, { thenAway: true })
        const first = answered(await refresh(here, current), what)
        const second = requireAnswer(await refresh(there, current), what)
        if (first !== undefined) expect({ what, second }).toEqual({ what, second: first })
        // The client has it now, and it stays good when the store of the other is back.
        faulty.comeBack()
        await faulty.settled()
        expect({ what, third: requireAnswer(await refresh(here, current), what) }).toEqual({
          what,
          third: second,
        })
        await prove(second, what)
        repeated += 1
      }
    }
    expect(repeated).toBe(calls * FAULTS.length)
  })

  test('a fault at any call of a retry: it can be tried again, here and there', async () => {
    const next = requireAnswer(await refresh(there, current))
    const calls = await callsOf(current)
    let predecessor = current
    let successor = next
    for (let at = 0; at < calls; at += 1) {
      for (const fault of FAULTS) {
        const what = `${fault} call ${at}`
        ;[predecessor, successor] = [successor, requireAnswer(await refresh(there, successor), what)]
        faulty.arm(at, fault)
        const first = answered(await refresh(here, predecessor), what)
        faulty.arm()
        await faulty.settled()
        for (const process of [here, there]) {
          const again = requireAnswer(await refresh(process, predecessor), what)
          expect({ what, again }).toEqual({ what, again: successor })
        }
        if (first !== undefined) expect({ what, first }).toEqual({ what, first: successor })
      }
    }
    await prove(successor, 'in the end')
  })
})

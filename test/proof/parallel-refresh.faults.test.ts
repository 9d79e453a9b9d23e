import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProgram } from '../support/required-programs.ts'
import { startFleet, type Fleet, type Member } from './fleet.ts'
import { createRecorder, type Settings } from './history.ts'
import { checkHistory } from './promises.ts'
import { createRequests, type Credentials } from './requests.ts'
import { createApplication } from './run.ts'
import { startStore, type ProofStore } from './stores.ts'

const PARALLEL = 100
const TIMES = { graceSeconds: 3, pollSeconds: 1 }
const hasRedis = findProgram('redis-server') !== undefined

describe.skipIf(!hasRedis)(
  'parallel refreshes of a public application at two processes',
  { timeout: 120_000 },
  () => {
    let store: ProofStore
    let fleet: Fleet
    let application: Credentials
    let settings: Settings
    beforeAll(async () => {
      store = await startStore('alone')
      settings = { ...TIMES, hasFailover: false }
      fleet = await startFleet(store, { settings })
      application = await createApplication(fleet, true)
    }, 120_000)
    afterAll(async () => {
      await fleet?.stop()
      await store?.stop()
    })

    function start() {
      const recorder = createRecorder()
      const surprises: string[] = []
      const requests = createRequests({ fleet, recorder, surprises })
      const [first, second] = fleet.services
      if (!first || !second) throw new Error('two services are needed')
      const at = (index: number): Member => (index % 2 === 0 ? first : second)
      const refreshAll = (token: string, count = PARALLEL) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            requests.exchange(at(index), application, 'f', token, false),
          ),
        )
      async function connect(): Promise<string> {
        const code = await requests.code(first as Member, application, 'user-1')
        const { next } = await requests.exchange(first as Member, application, 'f', String(code), true)
        if (next === undefined) throw new Error('no refresh token')
        return next
      }
      /** Asserts that the recorded operations keep all promises. */
      function expectPromisesKept(): void {
        const { operations, faults } = recorder
        const { violations, undecided } = checkHistory({ operations, faults, firstNames: {}, settings })
        expect({ violations, undecided, surprises }).toEqual({ violations: [], undecided: [], surprises: [] })
      }
      return { connect, refreshAll, expectPromisesKept, recorder }
    }

    it('within the grace period, one refresh makes the family go on, and the others get the same successor', async () => {
      const { connect, refreshAll, expectPromisesKept } = start()
      let token = await connect()
      for (let round = 0; round < 3; round += 1) {
        const answers = await refreshAll(token)
        expect(answers.filter(({ outcome }) => outcome === 'fail')).toEqual([])
        const successors = new Set(answers.flatMap(({ next }) => next ?? []))
        expect(successors.size).toBe(1)
        token = [...successors][0] ?? ''
      }
      expectPromisesKept()
    })

    it('after the grace period, the family is revoked at both processes', async () => {
      const { connect, refreshAll, expectPromisesKept, recorder } = start()
      const old = await connect()
      const [first] = await refreshAll(old, 1)
      await delay(TIMES.graceSeconds * 1000 + 500)
      const answers = await refreshAll(old)
      expect(answers.filter(({ outcome }) => outcome !== 'fail')).toEqual([])
      const current = await refreshAll(first?.next ?? '')
      expect(current.filter(({ outcome }) => outcome !== 'fail')).toEqual([])
      expectPromisesKept()
      expect(recorder.operations.filter(({ outcome }) => outcome === 'ok')).toHaveLength(2)
    })
  },
)

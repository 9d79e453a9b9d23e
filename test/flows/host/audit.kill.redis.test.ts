// Also runs on: Redis
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { randomUUID } from 'node:crypto'
import { compileHostProgram, type HostProgram } from '../../support/host-process.ts'
import { startHost } from '../../support/host.ts'
import { commitsOf, finishersOf } from '../../support/commits.ts'
import { describeEachShared } from '../../support/stores.ts'
import { auditOf } from '../../audit/setup.ts'

/** API keys that a process renames at the same time, and the number of answered renames before it is killed. */
const KEYS = 8
const RENAMES = [5, 60, 200]

/** Renames revoke nothing. */
const FINISHERS = finishersOf(async () => [])

describeEachShared('the audit trail of processes that are killed', (deploy, deployment) => {
  let program: HostProgram
  beforeAll(async () => {
    program = await compileHostProgram()
  })
  afterAll(() => program?.remove())

  it('has each change that was made once, in the order in which it was made', async () => {
    const data = randomUUID()
    const options = { deployment, keyPrefix: `${data}:`, renamedKeys: KEYS }
    const answered = await Promise.all(
      RENAMES.map(async (count) => {
        const process = await program.start(options)
        await vi.waitFor(() => expect(process.renames.length).toBeGreaterThanOrEqual(count), 20_000)
        await process.stop()
        return process.renames
      }),
    )

    const store = deploy(data)
    await commitsOf(store, { now: () => Date.now() + 20_000 }).finishAll(FINISHERS)
    const host = await startHost({ store })
    try {
      const made = new Map<string, number>()
      for await (const { entry } of host.gatehouse.audit.read()) {
        const { clientId = '', name, actor } = entry
        if (name === 'client.created') made.set(clientId, 0)
        if (name !== 'client.changed') continue
        // The renames of one key have the numbers 1, 2, 3 and so on.
        const number = (made.get(clientId) ?? NaN) + 1
        expect(actor).toBe(`${clientId}/${number}`)
        made.set(clientId, number)
      }
      for (const actor of answered.flat()) {
        const [clientId = '', number] = actor.split('/')
        expect(made.get(clientId)).toBeGreaterThanOrEqual(Number(number))
      }
      for (const [clientId, number] of made) {
        expect((await host.gatehouse.apiKeys.find(clientId))?.name).toBe(String(number))
      }
      const { items } = await host.gatehouse.apiKeys.list({ limit: 100 })
      expect(new Set(items.map(({ clientId }) => clientId))).toEqual(new Set(made.keys()))
    } finally {
      await host.close()
    }
  })

  it('has each of many equal changes once, alone or in a count', async () => {
    const data = randomUUID()
    const options = { deployment, keyPrefix: `${data}:`, renamedKeys: KEYS, areRenamesEqual: true }
    await Promise.all(
      RENAMES.map(async (count) => {
        const process = await program.start(options)
        await vi.waitFor(() => expect(process.renames.length).toBeGreaterThanOrEqual(count), 20_000)
        await process.stop()
      }),
    )

    const store = deploy(data)
    // What the killed processes left behind is moved and counted when their minute is long over.
    for (const seconds of [20, 240]) {
      const now = () => Date.now() + seconds * 1000
      const audits = [1, 2].map(() => auditOf(store, { now }))
      await Promise.all(audits.map((audit) => commitsOf(store, { audit, now }).finishAll(FINISHERS)))
      await Promise.all(audits.map((audit) => audit.resume()))
    }
    const host = await startHost({ store })
    try {
      const made = new Map<string, number>()
      let entries = 0
      for await (const { entry } of host.gatehouse.audit.read()) {
        const { clientId = '', name, count = 1 } = entry
        if (name === 'client.created') made.set(clientId, 0)
        if (name !== 'client.changed') continue
        entries += 1
        made.set(clientId, (made.get(clientId) ?? NaN) + count)
      }
      expect(made.size).toBe(RENAMES.length * KEYS)
      expect(entries).toBeLessThanOrEqual(2 * made.size)
      for (const [clientId, number] of made) {
        expect((await host.gatehouse.apiKeys.find(clientId))?.name).toBe(String(number))
      }
    } finally {
      await host.close()
    }
  })
})

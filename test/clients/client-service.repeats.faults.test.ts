import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describe, expect, it } from 'vitest'
import { faultyStore } from '../support/faulty-store.ts'
import { WRITES } from '../support/killable-store.ts'
import { services } from './setup.ts'

const INPUT = { accountId: 'acme', name: 'Export' }

type Method = 'create' | 'rotateSecret'

describe('changes with an idempotency key while the store fails', () => {
  /** Makes a change while a call of the store fails, and then while another call fails, and then without a fault. */
  async function attemptThrice(
    method: Method,
    { fault, first, second, methods }: Faults,
  ): Promise<{ isFirst: boolean; isSecond: boolean }> {
    const faulty = faultyStore(memoryStore(), methods && { methods })
    const { apiKeys } = services(faulty.store)
    const existing = await apiKeys.create(INPUT)
    const attempt = () =>
      method === 'create'
        ? apiKeys.create({ ...INPUT, name: 'Other' }, { idempotencyKey: 'a' })
        : apiKeys.rotateSecret(existing.apiKey.clientId, { idempotencyKey: 'a' })
    faulty.arm(first, fault)
    const one = await attempt().catch(() => undefined)
    const isFirst = faulty.calls.length > first
    faulty.arm(second, fault)
    const two = await attempt().catch(() => undefined)
    const isSecond = second !== undefined && faulty.calls.length > second
    faulty.arm()
    const three = await attempt()
    for (const answer of [one, two]) if (answer) expect(answer.clientSecret).toBe(three.clientSecret)
    const { items } = await apiKeys.listByOwner('acme')
    expect(items).toHaveLength(method === 'create' ? 2 : 1)
    return { isFirst, isSecond }
  }

  const cases = (['create', 'rotateSecret'] as const).flatMap((method) =>
    (['rejected', 'unanswered'] as const).map((fault) => ({ method, fault })),
  )

  it.each(cases)(
    '$method: after any call of the store was $fault, another attempt in the same process completes the change',
    async ({ method, fault }) => {
      let first = 0
      while ((await attemptThrice(method, { fault, first })).isFirst) first += 1
      expect(first).toBeGreaterThan(5)
    },
  )

  // A read that fails leaves the data as the write before it did, so the pairs are those of the writes.
  it.each(cases)(
    '$method: after any two writes were $fault, a third attempt in the same process completes the change',
    async ({ method, fault }) => {
      let count = 0
      for (let first = 0, isFirst = true; isFirst; first += 1) {
        for (let second = 0, isSecond = true; isSecond; second += 1) {
          ;({ isFirst, isSecond } = await attemptThrice(method, { fault, first, second, methods: WRITES }))
          count += 1
        }
      }
      expect(count).toBeGreaterThan(10)
    },
  )
})

/** Which calls fail, and how. */
interface Faults {
  readonly fault: 'rejected' | 'unanswered'
  readonly first: number
  /** @default no call of the second attempt fails */
  readonly second?: number
  /** @default all methods of the store can fail */
  readonly methods?: ReadonlySet<string>
}

import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describe, expect, it } from 'vitest'
import { faultyStore } from '../support/faulty-store.ts'
import { services } from './setup.ts'

const INPUT = { accountId: 'acme', name: 'Export' }

describe('changes with an idempotency key while the store fails twice', () => {
  it.each(['create', 'rotateSecret'] as const)(
    '%s: a third attempt in the same process completes the change',
    async (method) => {
      let cases = 0
      for (const fault of ['rejected', 'unanswered'] as const) {
        let isFailing = true
        for (let first = 0; isFailing; first += 1) {
          isFailing = false
          for (let second = 0, isSecond = true; isSecond; second += 1) {
            const faulty = faultyStore(memoryStore())
            const { apiKeys } = services(faulty.store)
            const existing = await apiKeys.create(INPUT)
            const attempt = () =>
              method === 'create'
                ? apiKeys.create({ ...INPUT, name: 'Other' }, { idempotencyKey: 'a' })
                : apiKeys.rotateSecret(existing.apiKey.clientId, { idempotencyKey: 'a' })
            faulty.arm(first, fault)
            const one = await attempt().catch(() => undefined)
            isFailing ||= faulty.calls.length > first
            faulty.arm(second, fault)
            const two = await attempt().catch(() => undefined)
            isSecond = faulty.calls.length > second
            faulty.arm()
            const three = await attempt()
            for (const answer of [one, two]) if (answer) expect(answer.clientSecret).toBe(three.clientSecret)
            const { items } = await apiKeys.listByOwner('acme')
            expect(items).toHaveLength(method === 'create' ? 2 : 1)
            cases += 1
          }
        }
      }
      expect(cases).toBeGreaterThan(100)
    },
  )
})

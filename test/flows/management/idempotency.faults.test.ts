import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { FAULTS, faultyStore } from '../../support/faulty-store.ts'
import { startManagement, type ManagementHost } from './setup.ts'

const withKey = (key: string) => ({ 'idempotency-key': key })

describe('a request with an Idempotency-Key while the store fails', () => {
  const inner = memoryStore()
  const faulty = faultyStore(inner)
  let host: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: faulty.store, gatehouse: { storeTimeoutMs: 100 } })
  })
  afterAll(() => host.close())
  const call = (...args: Parameters<ReturnType<ManagementHost['api']>['call']>) =>
    host.api('acme').call(...args)

  /** Repeats a request until it succeeds, as a client does. */
  async function until201(send: () => ReturnType<typeof call>) {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const answer = await send()
      if (answer.status === 201) return answer
      expect([409, 503]).toContain(answer.status)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error('the request never succeeded')
  }

  it.each(FAULTS)(
    'a creation that fails at any call (%s) makes one client, and a retry gets its secret',
    async (fault) => {
      let isFailing = true
      for (let at = 0; isFailing; at += 1) {
        const name = `${fault} ${at}`
        const send = () =>
          call('POST /api-keys', { name, products: ['invoices'] }, withKey(name.replace(' ', '-')))
        faulty.arm(at, fault)
        const first = await send()
        isFailing = faulty.calls.length > at
        await faulty.settled()
        faulty.arm()
        const answer = await until201(send)
        if (first.status === 201) expect(answer.body).toEqual(first.body)
        expect((await send()).body).toEqual(answer.body)
        const named = (await call(`GET /api-keys?name=${encodeURIComponent(name)}`)).body.items
        expect(named).toHaveLength(1)
        const credentials = { client_id: named[0].clientId, client_secret: answer.body.clientSecret }
        expect((await host.requestDirectToken(credentials)).status).toBe(200)
        expect(at).toBeLessThan(40)
      }
    },
  )
})

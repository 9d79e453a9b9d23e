// Also runs on: Redis
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { FAULTS, faultyStore } from '../../support/faulty-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { SECRET } from '../../support/host.ts'
import { startManagement, type ManagementHost } from './setup.ts'

const NEW_KEY = { name: 'Nightly export', products: ['invoices'] }
const withKey = (key: string) => ({ 'idempotency-key': key })

/** Starts two hosts on one store, like two processes. */
async function startTwo(makeStore: (data?: string) => Store, data: string) {
  return Promise.all([0, 1].map(() => startManagement({ store: makeStore(data) })))
}

describeEachStore('requests with an Idempotency-Key', (makeStore) => {
  let hosts: ManagementHost[] = []
  beforeAll(async () => {
    hosts = await startTwo(makeStore, `idempotency ${Date.now()}`)
  })
  afterAll(() => Promise.all(hosts.map((host) => host.close())))
  const call = (at: number, person: string, ...args: Parameters<ReturnType<ManagementHost['api']>['call']>) =>
    hosts[at]!.api(person).call(...args)
  const ids = async (person: string) =>
    (await call(0, person, 'GET /api-keys?limit=500')).body.items.map(
      (each: { clientId: string }) => each.clientId,
    )

  it('a repeated creation gets the same client and secret in every process, and makes one client', async () => {
    const before = await ids('acme')
    const first = await call(0, 'acme', 'POST /api-keys', NEW_KEY, withKey('create-1'))
    expect(first.status).toBe(201)
    for (const at of [0, 1]) {
      const repeated = await call(at, 'acme', 'POST /api-keys', NEW_KEY, withKey('create-1'))
      expect(repeated.status).toBe(201)
      expect(repeated.body).toEqual(first.body)
    }
    expect(await ids('acme')).toHaveLength(before.length + 1)
    const credentials = { client_id: first.body.apiKey.clientId, client_secret: first.body.clientSecret }
    expect((await hosts[1]!.requestDirectToken(credentials)).status).toBe(200)
  })

  it('another caller, another route and another key give another client and secret', async () => {
    const answers = await Promise.all([
      call(0, 'acme', 'POST /api-keys', NEW_KEY, withKey('shared')),
      call(0, 'acme/olga', 'POST /api-keys', NEW_KEY, withKey('shared')),
      call(0, 'bob', 'POST /api-keys', NEW_KEY, withKey('shared')),
      call(0, 'acme', 'POST /applications', NEW_KEY, withKey('shared')),
      call(0, 'acme', 'POST /api-keys', NEW_KEY, withKey('shared2')),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.clientSecret)).size).toBe(5)
    expect(new Set(answers.map(({ body }) => (body.apiKey ?? body.application).clientId)).size).toBe(5)
  })

  it('the same key with another body gets 422', async () => {
    await call(0, 'acme', 'POST /api-keys', NEW_KEY, withKey('body'))
    const other = await call(1, 'acme', 'POST /api-keys', { ...NEW_KEY, name: 'Another' }, withKey('body'))
    expect(other).toMatchObject({ status: 422, body: { code: 'ERR_IDEMPOTENCY_KEY' } })
  })

  it.each([' ', 'x'.repeat(256)])(
    'an idempotency key that is empty or too long gets 422 (%#)',
    async (key) => {
      const { body } = await call(0, 'acme', 'POST /api-keys', NEW_KEY)
      for (const target of ['POST /api-keys', `POST /api-keys/${body.apiKey.clientId}/secrets`]) {
        const { name } = NEW_KEY
        const answer = await call(0, 'acme', target, target.endsWith('secrets') ? {} : { name }, withKey(key))
        expect(answer).toMatchObject({ status: 422, body: { code: 'ERR_IDEMPOTENCY_KEY' } })
      }
    },
  )

  it('a rejected request may be corrected and sent with the same key', async () => {
    const wrong = { name: 'Nightly export', products: ['nothing'] }
    expect((await call(0, 'acme', 'POST /api-keys', wrong, withKey('fixed'))).status).toBe(422)
    expect((await call(1, 'acme', 'POST /api-keys', NEW_KEY, withKey('fixed'))).status).toBe(201)
  })

  it('of concurrent repeats none makes a second client, and each gets the same answer or 409', async () => {
    const before = (await ids('alice')).length
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        call(at % 2, 'alice', 'POST /api-keys', NEW_KEY, withKey('storm')),
      ),
    )
    const created = answers.filter(({ status }) => status === 201)
    expect(created.length).toBeGreaterThan(0)
    expect(new Set(created.map(({ body }) => body.clientSecret)).size).toBe(1)
    for (const { status, body } of answers) {
      if (status !== 201)
        expect({ status, code: body.code }).toEqual({ status: 409, code: 'ERR_IN_PROGRESS' })
    }
    expect(await ids('alice')).toHaveLength(before + 1)
  })

  it('a repeat after the client was deleted makes no client', async () => {
    const { body } = await call(0, 'acme', 'POST /api-keys', NEW_KEY, withKey('deleted'))
    await call(0, 'acme', `DELETE /api-keys/${body.apiKey.clientId}`)
    expect(await call(1, 'acme', 'POST /api-keys', NEW_KEY, withKey('deleted'))).toMatchObject({
      status: 422,
    })
  })

  it('a repeated rotation gets the same secret and rotates once, and 422 after the secret was revoked', async () => {
    const { body } = await call(0, 'acme', 'POST /api-keys', NEW_KEY)
    const { clientId } = body.apiKey
    const rotate = (at: number) =>
      call(at, 'acme', `POST /api-keys/${clientId}/secrets`, { overlapSeconds: 600 }, withKey('rotate'))
    const first = await rotate(0)
    expect(first.status).toBe(201)
    expect(first.body.clientSecret).not.toBe(body.clientSecret)
    expect((await rotate(1)).body).toEqual(first.body)
    const credentials = { client_id: clientId, client_secret: first.body.clientSecret }
    expect((await hosts[0]!.requestDirectToken(credentials)).status).toBe(200)

    await call(0, 'acme', `POST /api-keys/${clientId}/report-compromised`)
    const late = await rotate(1)
    expect(late).toMatchObject({ status: 422, body: { code: 'ERR_IDEMPOTENCY_KEY' } })
    expect(JSON.stringify(late.body)).not.toContain(first.body.clientSecret)
    expect((await call(0, 'acme', `GET /api-keys/${clientId}/secrets`)).body.items).toEqual([])
    expect((await hosts[0]!.requestDirectToken(credentials)).status).toBe(401)
  })
})

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

  it.each(FAULTS)(
    'a rotation that fails at any call (%s) rotates once, and a retry gets the secret',
    async (fault) => {
      let isFailing = true
      for (let at = 0; isFailing; at += 1) {
        const { body } = await until201(() => call('POST /api-keys', NEW_KEY))
        const { clientId } = body.apiKey
        const send = () => call(`POST /api-keys/${clientId}/secrets`, {}, withKey(`${fault}-${at}`))
        faulty.arm(at, fault)
        await send()
        isFailing = faulty.calls.length > at
        await faulty.settled()
        faulty.arm()
        const answer = await until201(send)
        expect((await call(`GET /api-keys/${clientId}/secrets`)).body.items).toHaveLength(2)
        for (const client_secret of [body.clientSecret, answer.body.clientSecret]) {
          expect((await host.requestDirectToken({ client_id: clientId, client_secret })).status).toBe(200)
        }
        expect(at).toBeLessThan(40)
      }
    },
  )
})

it('the store has neither the secret nor anything from which it follows without the secret of the server', async () => {
  const writes: string[] = []
  const inner = memoryStore()
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        writes.push(JSON.stringify(args))
        return Reflect.apply(member, target, args)
      }
    },
  })
  const host = await startManagement({ store })
  writes.length = 0
  const { body } = await host.api('acme').call('POST /api-keys', NEW_KEY, withKey('my-idempotency-key'))
  const later = await startManagement({ store, gatehouse: { secret: [`${SECRET}, the next one`, SECRET] } })
  const repeated = await later.api('acme').call('POST /api-keys', NEW_KEY, withKey('my-idempotency-key'))
  await host.close()
  await later.close()
  expect(repeated.body).toEqual(body)
  const all = writes.join('\n')
  expect(all).toContain('idempotency:')
  expect(all).not.toContain(body.clientSecret)
  expect(all).not.toContain(body.clientSecret.replace('gatehouse_', ''))
  expect(all).not.toContain('my-idempotency-key')
})

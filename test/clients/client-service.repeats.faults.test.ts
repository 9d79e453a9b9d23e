import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describe, expect, it, vi } from 'vitest'
import { faultyStore } from '../support/faulty-store.ts'
import { describeEachKind, START } from './each-kind.ts'
import { services } from './setup.ts'

const INPUT = { accountId: 'acme', name: 'Export' }

describeEachKind('changes with an idempotency key', (context) => {
  /** The service, and a creation by it. */
  function setUp(secretPrefix?: string) {
    const process = context.start(undefined, { ...(secretPrefix !== undefined && { secretPrefix }) })
    const create = async (input: object, idempotencyKey: string) => {
      const result = await process.service.create({ ...INPUT, ...input }, { idempotencyKey })
      return { client: 'apiKey' in result ? result.apiKey : result.application, secret: result.clientSecret }
    }
    return { ...process, create }
  }

  it('a repeated creation returns the same client and secret, also in another process, and creates one', async () => {
    const { service, create, emitted } = setUp()
    const first = await create({}, 'key-1')
    const second = await setUp().create({}, 'key-1')
    expect(second).toEqual(first)
    expect((await service.listByOwner('acme')).items).toHaveLength(1)
    expect(emitted.filter(({ event }) => event === 'client.created')).toHaveLength(1)
  })

  it('another account, user, actor and key are another creation; another address is the same', async () => {
    const { create } = setUp()
    const made = await Promise.all([
      create({}, 'a'),
      create({ accountId: 'bob' }, 'a'),
      create({ userId: 'olga' }, 'a'),
      create({ actor: 'acme/olga' }, 'a'),
      create({}, 'b'),
    ])
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(5)
    expect(new Set(made.map(({ client }) => client.clientId)).size).toBe(5)
    expect(await create({ address: '192.0.2.7', userAgent: 'curl' }, 'a')).toEqual(made[0])
  })

  it('the same key with another input is rejected', async () => {
    const { create } = setUp()
    await create({}, 'a')
    await expect(create({ name: 'Other' }, 'a')).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_KEY',
      status: 422,
    })
  })

  it.each(['', 'a b', 'ä', 'x'.repeat(256), 7])('%j is not an idempotency key', async (key) => {
    await expect(setUp().create({}, key as string)).rejects.toMatchObject({ code: 'ERR_IDEMPOTENCY_KEY' })
  })

  it('an import takes no idempotency key', async () => {
    const { create } = setUp()
    await expect(create({ clientId: 'mine' }, 'a')).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [expect.objectContaining({ path: 'idempotencyKey' })],
    })
  })

  it('a rejected creation may be corrected and made with the same key', async () => {
    const { create } = setUp()
    await expect(create({ name: '' }, 'a')).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    expect((await create({}, 'a')).client.name).toBe('Export')
  })

  it('a repeat after the client was deleted, or its secret revoked, is rejected', async () => {
    const { create, service } = setUp()
    const { client } = await create({}, 'a')
    await service.reportCompromised(client.clientId)
    await expect(create({}, 'a')).rejects.toMatchObject({ code: 'ERR_IDEMPOTENCY_KEY', message: /revoked/ })
    await service.delete(client.clientId)
    await expect(create({}, 'a')).rejects.toMatchObject({ code: 'ERR_IDEMPOTENCY_KEY', message: /deleted/ })
  })

  it('a repeated rotation returns the same secret and rotates once; another overlap is another input', async () => {
    const { create, service } = setUp()
    const { client } = await create({}, 'a')
    const rotate = (overlapSeconds: number) =>
      service.rotateSecret(client.clientId, { overlapSeconds, idempotencyKey: 'r' })
    const first = await rotate(60)
    expect(await rotate(60)).toEqual(first)
    expect(first.oldSecretExpiresAt).toBe(START / 1000 + 60)
    expect(await service.listSecrets(client.clientId)).toHaveLength(2)
    await expect(rotate(61)).rejects.toMatchObject({ code: 'ERR_IDEMPOTENCY_KEY' })
    await service.revokeSecret(client.clientId, 'new')
    await expect(rotate(60)).rejects.toMatchObject({ code: 'ERR_IDEMPOTENCY_KEY', message: /revoked/ })
  })

  it('a repeat after a later rotation says when the secret before its own ends, not when its own does', async () => {
    const { create, service } = setUp()
    const { client } = await create({}, 'a')
    const rotate = (overlapSeconds: number, idempotencyKey: string) =>
      service.rotateSecret(client.clientId, { overlapSeconds, idempotencyKey })
    const first = await rotate(0, 'r1')
    await rotate(60, 'r2')
    expect(await rotate(0, 'r1')).toEqual(first)
    expect(first.oldSecretExpiresAt).toBeUndefined()
  })

  it('a repeat after a change of `secretPrefix` returns the same secret', async () => {
    const { create, service } = setUp('acme_')
    const first = await create({}, 'a')
    const { clientId } = first.client
    const rotate = async (by: typeof service) => by.rotateSecret(clientId, { idempotencyKey: 'r' })
    const rotated = await rotate(service)
    const later = setUp('zenith_')
    expect(await rotate(later.service)).toEqual(rotated)
    expect(await later.create({}, 'a')).toMatchObject({ secret: first.secret })
    expect(first.secret).toMatch(/^acme_/)
    const [newest] = await service.listSecrets(clientId)
    expect(newest?.hint).toBe(`acme_…${rotated.clientSecret.slice(-4)}`)
  })

  it('of two rotations with one key at the same time, none says that the secret was revoked', async () => {
    const { create, service } = setUp()
    const { client } = await create({}, 'a')
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, async () => service.rotateSecret(client.clientId, { idempotencyKey: 'r' })),
    )
    const codes = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
    )
    expect(codes.filter((code) => code !== 'ERR_IN_PROGRESS')).toEqual([])
    expect(await service.listSecrets(client.clientId)).toHaveLength(2)
  })

  it('a key is remembered for 24 hours', async () => {
    const { create } = setUp()
    const first = await create({}, 'a')
    vi.setSystemTime(START + 86_399_000)
    expect((await create({}, 'a')).secret).toBe(first.secret)
  })
})

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

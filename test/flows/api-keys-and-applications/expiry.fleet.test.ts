import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests } from '../../support/host-requests.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachRedis } from '../../support/stores.ts'

/** Seconds that the key lives, counted from the start of the test. TEST_KEY_SECONDS sets another number. */
const LIFE = Number(process.env['TEST_KEY_SECONDS'] ?? 8)
/** A notice is given within this time after it is due. */
const NOTICE_MS = 20_000

describeEachRedis('a key that expires in a fleet of processes', (deploy, deployment) => {
  let program: HostProgram
  let host: Host
  let fleet: (HostProcess & ReturnType<typeof hostRequests>)[]
  let start: () => Promise<HostProcess>
  beforeAll(async () => {
    const data = randomUUID()
    program = await compileHostProgram()
    host = await startHost({ store: deploy(data) })
    await host.gatehouse.ready()
    const { issuer, audience } = host
    start = () => program.start({ deployment, keyPrefix: `${data}:`, issuer, audience })
    fleet = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = await start()
        const own = { issuer: child.address, audience: `http://localhost:${child.port}/api` }
        return { ...child, ...hostRequests({ fetch, ...own }) }
      }),
    )
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await program?.remove()
  })

  it(
    'its token is cut short and rejected at the second, and one process emits one event, although one was down',
    async () => {
      const own: string[] = []
      host.gatehouse.on('client.expired', ({ clientId }) => own.push(clientId))
      const [one, two, down] = fleet
      const expiresAt = Math.floor(Date.now() / 1000) + LIFE
      const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
        accountId: 'acme',
        name: 'Short',
        products: ['invoices'],
        expiresAt,
      })
      await down?.terminate()
      const key = { client_id: apiKey.clientId, client_secret: clientSecret }
      const { body } = await one!.requestDirectToken(key)
      const jwt = String(body['access_token'])
      const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
        exp: number
      }
      expect(exp).toBe(expiresAt)
      expect(body['expires_in']).toBeLessThanOrEqual(LIFE)

      const statusIn = async (process: typeof two) => (await process!.call('GET /invoices/list', jwt)).status
      await delay(expiresAt * 1000 - Date.now() - 500)
      expect(await statusIn(two)).toBe(200)
      await delay(expiresAt * 1000 - Date.now() + 50)
      expect([await statusIn(one), await statusIn(two)]).toEqual([401, 401])
      expect((await two!.requestDirectToken(key)).status).toBe(401)

      const restarted = await start()
      const emitted = () => [
        ...own,
        ...[one!, two!, down!, restarted].flatMap(({ events }) =>
          events.filter((each) => each === 'client.expired'),
        ),
      ]
      await vi.waitFor(() => expect(emitted()).not.toEqual([]), { timeout: NOTICE_MS, interval: 100 })
      // A second process would give the notice in its next round.
      await delay(NOTICE_MS)
      expect(emitted()).toHaveLength(1)

      const { items } = await host.gatehouse.audit.list({ clientId: apiKey.clientId })
      const story = items.map(({ name, outcome }) => `${name} ${outcome}`)
      expect(story.at(-1)).toBe('client.created success')
      expect(story.filter((each) => each === 'client.expired success')).toHaveLength(1)
    },
    LIFE * 1000 + 2 * NOTICE_MS + 60_000,
  )
})

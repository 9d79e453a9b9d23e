import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests } from '../../support/host-requests.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachShared } from '../../support/stores.ts'

/** Seconds that the key lives, counted from the start of the test. */
const LIFE = 5
/** Time for the notices that a process looks for when it starts. */
const START_MS = 2000

describeEachShared('a key that expires in a fleet of processes', (deploy, deployment) => {
  let program: HostProgram
  let host: Host
  let fleet: (HostProcess & ReturnType<typeof hostRequests>)[]
  let start: (clockOffsetMs?: number) => Promise<HostProcess & ReturnType<typeof hostRequests>>
  beforeAll(async () => {
    const data = randomUUID()
    program = await compileHostProgram()
    host = await startHost({ store: deploy(data) })
    await host.gatehouse.ready()
    const { issuer, audience } = host
    start = async (clockOffsetMs = 0) => {
      const child = await program.start({
        deployment,
        keyPrefix: `${data}:`,
        issuer,
        audience,
        clockOffsetMs,
      })
      const own = { issuer: child.address, audience: `http://localhost:${child.port}/api` }
      return { ...child, ...hostRequests({ fetch, ...own }) }
    }
    fleet = await Promise.all([start(), start(), start()])
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await program?.remove()
  })

  async function createKey(expiresAt: number) {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Short',
      products: ['invoices'],
      expiresAt,
    })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }

  it('its token is cut short and rejected at the second, and one process emits one event, although one was down', async () => {
    const own: string[] = []
    host.gatehouse.on('client.expired', ({ clientId }) => own.push(clientId))
    const [one, two, down] = fleet
    const expiresAt = Math.floor(Date.now() / 1000) + LIFE
    const key = await createKey(expiresAt)
    await down?.terminate()
    const { body } = await one!.requestDirectToken(key)
    const jwt = String(body['access_token'])
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      exp: number
    }
    expect(exp).toBe(expiresAt)
    expect(body['expires_in']).toBeLessThanOrEqual(LIFE)

    const statusIn = async (process: typeof two) => (await process!.call('GET /invoices/list', jwt)).status
    expect(await statusIn(two)).toBe(200)
    await delay(expiresAt * 1000 - Date.now() + 50)
    expect([await statusIn(one), await statusIn(two)]).toEqual([401, 401])
    expect((await two!.requestDirectToken(key)).status).toBe(401)

    // A process looks for notices when it starts.
    const restarted = await Promise.all([start(), start()])
    const emitted = () => [
      ...own,
      ...[one!, two!, down!, ...restarted].flatMap(({ events }) =>
        events.filter((each) => each === 'client.expired'),
      ),
    ]
    await vi.waitFor(() => expect(emitted()).not.toEqual([]), { timeout: 20_000, interval: 100 })
    await delay(START_MS)
    expect(emitted()).toHaveLength(1)

    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id })
    const story = items.map(({ name, outcome }) => `${name} ${outcome}`)
    expect(story.at(-1)).toBe('client.created success')
    expect(story.filter((each) => each === 'client.expired success')).toHaveLength(1)
  })

  it('a process whose clock is ahead rejects the key early, gives no notice, and accepts the key after it is extended', async () => {
    const now = Math.floor(Date.now() / 1000)
    const key = await createKey(now + 60)
    const { body } = await host.requestDirectToken(key)
    const jwt = String(body['access_token'])
    const ahead = await start(120_000)
    expect((await ahead.requestDirectToken(key)).status).toBe(401)
    expect((await ahead.call('GET /invoices/list', jwt)).status).toBe(401)
    expect((await host.call('GET /invoices/list', jwt)).status).toBe(200)
    await delay(START_MS)
    expect(ahead.events).not.toContain('client.expired')
    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id })
    expect(items.map(({ name }) => name)).toEqual(['client.created'])
    await host.gatehouse.apiKeys.update(key.client_id, { expiresAt: now + 3600 })
    await vi.waitFor(async () => expect((await ahead.requestDirectToken(key)).status).toBe(200))
    await ahead.stop()
  })

  it('a process whose clock is behind issues no token that outlives the key, and the other processes reject it', async () => {
    const behind = await start(-120_000)
    const expiresAt = Math.floor(Date.now() / 1000) + 3
    const key = await createKey(expiresAt)
    await delay(expiresAt * 1000 - Date.now() + 100)
    expect((await host.requestDirectToken(key)).status).toBe(401)
    const { status, body } = await behind.requestDirectToken(key)
    expect(status).toBe(200)
    const jwt = String(body['access_token'])
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }
    expect(claims.exp).toBeLessThanOrEqual(expiresAt)
    expect((await host.call('GET /invoices/list', jwt)).status).toBe(401)
    await behind.stop()
  })
})

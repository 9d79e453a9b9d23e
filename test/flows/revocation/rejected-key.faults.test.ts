import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Health } from 'koa-gatehouse/gateway'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import {
  compileHostProgram,
  type GatewayProcessOptions,
  type HostProcess,
  type HostProgram,
} from '../../support/host-process.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachRedis } from '../../support/stores.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

/** The `pollIntervalSeconds` of the gateways, in milliseconds. */
const POLL_MS = 1000
/** What a busy machine may add to a bound. */
const BUSY_MS = 1500

/** A gateway that reads revocations over HTTP, with a key of its own. */
interface Feed {
  readonly clientId: string
  readonly proxy: TcpProxy
  process: HostProcess
}

interface Answer {
  readonly at: number
  readonly status: number
  readonly retryAfter: string | null
}

describeEachRedis('a gateway whose API key the authorization service rejects', (deploy, deployment) => {
  const data = randomUUID()
  const keyPrefix = `${data}:`
  let services: HostProgram
  let gateways: HostProgram<GatewayProcessOptions>
  let service: HostProcess
  /** The same service in this process, for changes of keys. */
  let host: Host
  let overRedis: HostProcess
  let feeds: Record<'expired' | 'disabled' | 'deleted' | 'wrong' | 'rotated', Feed>
  let token: string
  const foreign: Server[] = []
  const watchers: (() => void)[] = []
  const origins = () => ({
    issuer: service.address,
    audience: `http://localhost:${service.port}/api`,
  })

  beforeAll(async () => {
    ;[services, gateways] = await Promise.all([
      compileHostProgram(),
      compileHostProgram<GatewayProcessOptions>('gateway-process-main'),
    ])
    service = await services.start({ deployment, keyPrefix })
    host = await startHost({ store: deploy(data), gatehouse: origins() })
    const { body } = await host.requestDirectToken(await host.createApiKey(['invoices']))
    token = String(body['access_token'])
    const names = ['expired', 'disabled', 'deleted', 'wrong', 'rotated'] as const
    const [store, ...opened] = await Promise.all([
      gateways.start({ ...origins(), from: { deployment, keyPrefix } }),
      ...names.map(async (name) => [name, await openFeed()] as const),
    ])
    overRedis = store
    feeds = Object.fromEntries(opened) as typeof feeds
    for (const process of all()) await vi.waitFor(async () => expect(await statusOf(process)).toBe(200), 5000)
  }, 120_000)
  afterEach(() => {
    for (const end of watchers.splice(0)) end()
  })
  afterAll(async () => {
    for (const server of foreign) server.close()
    await Promise.all(Object.values(feeds ?? {}).map(({ proxy }) => proxy.close()))
    await host?.close()
    await Promise.all([services?.remove(), gateways?.remove()])
  })

  const all = () => [overRedis, ...Object.values(feeds).map(({ process }) => process)]

  async function openFeed(): Promise<Feed> {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Gateway',
      products: [],
    })
    const { clientId } = apiKey
    await host.gatehouse.apiKeys.setResourceServer(clientId, true)
    const proxy = await startTcpProxy(service.port)
    return { clientId, proxy, process: await startFeed(proxy, { clientId, clientSecret }) }
  }

  const startFeed = (proxy: TcpProxy, key: { clientId: string; clientSecret: string }) =>
    gateways.start({
      ...origins(),
      from: { ...key, uri: `http://127.0.0.1:${proxy.port}/auth/oauth2/revocations` },
    })

  async function callOf({ port }: HostProcess): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`http://localhost:${port}/api/invoices/list`, { headers })
    await response.arrayBuffer()
    return { at: Date.now(), status: response.status, retryAfter: response.headers.get('retry-after') }
  }
  const statusOf = async (process: HostProcess) => (await callOf(process)).status

  /** Calls a process again and again. Returns a function that ends this, and resolves with all answers. */
  function watch(process: HostProcess): () => Promise<readonly Answer[]> {
    const answers: Answer[] = []
    let stopped = false
    watchers.push(() => (stopped = true))
    const watching = (async () => {
      for (; !stopped; await delay(50)) answers.push(await callOf(process))
    })()
    return async () => {
      stopped = true
      await watching
      return answers
    }
  }

  const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

  async function checkOf(process: HostProcess) {
    const { checks } = (await process.ask('health')) as Health
    return checks.find(({ name }) => name === 'revocations')
  }

  it('an expired, disabled or deleted key, and a wrong secret, lead to 503 three polls later, and calls are accepted again a poll after the key is mended; a gateway on Redis and a key rotated with an overlap answer 200 throughout', async () => {
    const { apiKeys } = host.gatehouse
    const { expired, disabled, deleted, wrong, rotated } = feeds
    const [redisAnswers, rotatedAnswers] = [watch(overRedis), watch(rotated.process)]
    await apiKeys.rotateSecret(rotated.clientId, { overlapSeconds: 3600 })

    const endOf = {
      async expired() {
        const expiresAt = Math.floor(Date.now() / 1000) + 2
        await apiKeys.update(expired.clientId, { expiresAt })
        await delay(expiresAt * 1000 - Date.now())
      },
      disabled: () => apiKeys.disable(disabled.clientId),
      deleted: () => apiKeys.delete(deleted.clientId),
      wrong: () => apiKeys.rotateSecret(wrong.clientId, { overlapSeconds: 0 }),
    }
    const newSecret = await Promise.all(
      (['expired', 'disabled', 'deleted', 'wrong'] as const).map(async (name) => {
        const { process, clientId } = feeds[name]
        const answersOf = watch(process)
        const result = await endOf[name]()
        const endedAt = Date.now()
        // The check fails at once, while calls are still accepted.
        await vi.waitFor(
          async () => expect(await checkOf(process)).toMatchObject({ status: 'fail' }),
          POLL_MS + BUSY_MS,
        )
        expect((await checkOf(process))?.message).toContain(clientId)
        await vi.waitFor(async () => expect(await statusOf(process)).toBe(503), {
          timeout: 4 * POLL_MS + BUSY_MS,
        })
        // Polls go on, and the log stays quiet.
        await delay(2 * POLL_MS)
        const answers = await answersOf()
        const rejected = answers.filter(({ status }) => status === 503)
        expect(statusesOf(answers)).toEqual([200, 503])
        expect(rejected.every(({ retryAfter }) => retryAfter === '1')).toBe(true)
        expect((rejected[0]?.at ?? 0) - endedAt).toBeGreaterThan(POLL_MS)
        expect((rejected[0]?.at ?? Infinity) - endedAt).toBeLessThan(4 * POLL_MS + BUSY_MS)
        expect(await process.ask('log')).toEqual([
          expect.stringMatching(new RegExp(`rejects the API key .*${clientId} .401 invalid_client.`)),
        ])
        return result
      }),
    )

    const secret = newSecret[3] as { clientSecret: string }
    const isBack = (process: HostProcess, timeout = POLL_MS + BUSY_MS) =>
      vi.waitFor(async () => expect(await statusOf(process)).toBe(200), { timeout, interval: 20 })
    await apiKeys.update(expired.clientId, { expiresAt: null })
    await isBack(expired.process)
    await apiKeys.enable(disabled.clientId)
    await isBack(disabled.process)
    expect(await checkOf(disabled.process)).toMatchObject({ status: 'pass' })
    // These gateways need another secret or key, so their processes start again.
    await wrong.process.stop()
    wrong.process = await startFeed(wrong.proxy, { clientId: wrong.clientId, ...secret })
    await isBack(wrong.process)
    const { process } = await openFeed()
    await isBack(process)

    expect(statusesOf(await redisAnswers())).toEqual([200])
    expect(statusesOf(await rotatedAnswers())).toEqual([200])
  }, 120_000)

  it('a process that starts with a rejected key answers 503, and its log names the cause and the key; it starts without a restart once the key is mended', async () => {
    const { apiKeys } = host.gatehouse
    const { apiKey, clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'New', products: [] })
    const { clientId } = apiKey
    const process = await startFeed(feeds.rotated.proxy, { clientId, clientSecret })
    expect(await callOf(process)).toMatchObject({ status: 503, retryAfter: '1' })
    for (let call = 0; call < 3; call += 1) await callOf(process)
    expect(await process.ask('log')).toEqual([
      expect.stringMatching(new RegExp(`rejects the API key ${clientId} .403 unauthorized_client.`)),
    ])
    const { checks } = (await process.ask('health')) as Health
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'start', status: 'fail', message: expect.stringContaining(clientId) }),
    )
    await apiKeys.setResourceServer(clientId, true)
    await vi.waitFor(async () => expect(await statusOf(process)).toBe(200), POLL_MS + BUSY_MS)
  })

  it('a 401 and a 403 of another form, and a service that is stopped for ten polls, change nothing with whenStale serve', async () => {
    const { expired, disabled, rotated } = feeds
    const answering = async (status: number, body: string) => {
      const server = createServer((_, response) => void response.writeHead(status).end(body))
      foreign.push(server)
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    }
    const answers = [overRedis, expired.process, disabled.process, rotated.process].map(watch)
    expired.proxy.retarget(await answering(401, '{"error":"unauthorized"}'))
    disabled.proxy.retarget(await answering(403, '<html><h1>403 Forbidden</h1></html>'))
    await service.stop()
    await delay(10 * POLL_MS)
    for (const { process } of [expired, disabled, rotated]) {
      expect(await checkOf(process)).toMatchObject({ status: 'warn' })
    }
    for (const answersOf of answers) expect(statusesOf(await answersOf())).toEqual([200])

    const next = await services.start({ deployment, keyPrefix, ...origins() })
    for (const { proxy } of Object.values(feeds)) proxy.retarget(next.port)
    await host.gatehouse.tokens.revoke(token)
    for (const { process } of [expired, disabled, rotated]) {
      await vi.waitFor(async () => expect(await statusOf(process)).toBe(401), POLL_MS + BUSY_MS)
    }
  }, 120_000)
})

/**
 * Measures what the gateway costs a request. A bare Koa app is compared with the same app behind the gateway,
 * which has the token in its cache. Both apps run in one process and take turns, so that a busy machine slows
 * both apps alike. The figure is the median of the ratios of all rounds. `node bench/gateway.ts` runs for
 * about 15 seconds, and needs Node 22.18 or later.
 */
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { median, round } from './figures.ts'
import { createGatewayUnderTest, OPERATIONS } from './gateway-under-test.ts'

const ROUNDS = 9
const ROUND_MS = 700
const CONNECTIONS = 16

const { gateway, token } = await createGatewayUnderTest()
const respond: Koa.Middleware = (ctx) => void (ctx.body = { ok: true })
const servers = {
  bare: await serve(new Koa().use(respond)),
  gateway: await serve(new Koa().use(gateway.middleware()).use(respond)),
}
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

const rates: { bare: number; gateway: number }[] = []
for (let round = -1; round < ROUNDS; round += 1) {
  const rate = { bare: await measure(servers.bare), gateway: await measure(servers.gateway) }
  // The first round is a warm-up.
  if (round >= 0) rates.push(rate)
}
const ratio = median(rates.map(({ bare, gateway: behindGateway }) => behindGateway / bare))
const bare = median(rates.map((rate) => rate.bare))
console.table({
  'bare Koa': { 'requests/s': Math.round(bare), relative: 1, 'µs a request': round(1e6 / bare) },
  'behind the gateway': {
    'requests/s': Math.round(bare * ratio),
    relative: round(ratio),
    'µs a request': round(1e6 / (bare * ratio)),
  },
})
console.log(
  `One decision without HTTP: ${round(await decisionTime())} µs; ${OPERATIONS} operations, a token of ${token.length} characters, Node ${process.version}`,
)

agent.destroy()
for (const { server } of Object.values(servers)) server.close()

async function serve(app: Koa): Promise<{ server: Server; port: number }> {
  const handle = app.callback()
  const server = createServer((incoming, response) => void handle(incoming, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

/** Requests per second over keep-alive connections. */
async function measure({ port }: { port: number }): Promise<number> {
  const started = performance.now()
  const until = started + ROUND_MS
  let count = 0
  const loop = async () => {
    while (performance.now() < until) {
      await call(port)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  return count / ((performance.now() - started) / 1000)
}

function call(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port,
        host: '127.0.0.1',
        agent,
        path: '/api/resource-7/42',
        headers: { Authorization: `Bearer ${token}` },
      },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`))
        response.resume().on('end', resolve)
      },
    )
    outgoing.on('error', reject).end()
  })
}

/** Microseconds of one decision. */
async function decisionTime(): Promise<number> {
  const incoming = { method: 'GET', url: '/api/resource-7/42', headers: { authorization: `Bearer ${token}` } }
  const times: number[] = []
  for (let batch = 0; batch < 20; batch += 1) {
    const started = performance.now()
    for (let i = 0; i < 5000; i += 1) await gateway.authenticate(incoming)
    times.push(((performance.now() - started) * 1000) / 5000)
  }
  return median(times)
}

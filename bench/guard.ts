/**
 * Measures what the gateway adds to a call, to 0.2 µs. The composed middleware is called in this process, without HTTP. Two
 * variants run in alternating blocks, so that a busy machine slows both alike. The figure is the median of the differences
 * of all pairs of blocks, in CPU time a call, with its 95 % interval. "At most x µs a gateway call" means the upper end of
 * that interval.
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import Koa, { type Middleware } from 'koa'
import compose from 'koa-compose'
import { medianInterval, round } from './figures.ts'
import { createGatewayUnderTest } from './gateway-under-test.ts'
import { silentLogger } from '../src/host/logger.ts'
import { createStoreClock } from '../src/store/store-clock.ts'
import { createGatewayHooks } from '../src/gateway/gateway-hooks.ts'
import { createSlotCounters } from '../src/store/slot-counters.ts'
import { createLimiter } from '../src/parts/limits/limiter.ts'
import { createCallCounts } from '../src/parts/usage/call-counts.ts'
import { observeCalls } from '../src/parts/usage/observe-calls.ts'

const CALLS = 200_000
const PAIRS = 40
/** Pairs of blocks before the first counted pair, so that all code is compiled. */
const WARM_UP_PAIRS = 2

interface Variant {
  readonly name: string
  readonly url: string
  readonly middleware: Middleware
  /** @default a token that may be used from any address */
  readonly token?: string
}

/** Measures all variants against an empty middleware, and prints a table. About two minutes. */
export async function measureGuard(): Promise<void> {
  const { gateway, token, limitedToken } = await createGatewayUnderTest()
  await gateway.ready()
  const observer = observeCalls(createCallCounts(createStoreClock({ store: {}, logger: silentLogger }).now))
  const withUsage = await createGatewayUnderTest({ ...createGatewayHooks(), observer })
  await withUsage.gateway.ready()
  const counters = createSlotCounters()
  const { limiter } = createLimiter({
    count: async (...args) => counters.count(...args),
    defaults: { perMinute: 1_000_000_000, perDay: 1_000_000_000 },
    limitsOf: async () => ({ perMinute: 1_000_000_000, perDay: 1_000_000_000 }),
    onCounted() {},
  })
  const withLimits = await createGatewayUnderTest({ ...createGatewayHooks(), limiter })
  await withLimits.gateway.ready()
  const empty: Middleware = (_ctx, next) => next()
  const guard = gateway.middleware() as Middleware
  const withOpenRoutes = gateway.middleware({ public: ['GET /status'], optional: ['GET /articles/:id'] })
  const variants: readonly Variant[] = [
    { name: 'a seen token', url: '/api/resource-7/list', middleware: guard },
    { name: 'a seen token, ids in the address', url: '', middleware: guard },
    {
      name: 'a seen token, public and optional routes',
      url: '/api/resource-7/list',
      middleware: withOpenRoutes as Middleware,
    },
    {
      name: 'a seen token with 20 networks',
      url: '/api/resource-7/list',
      middleware: guard,
      token: limitedToken,
    },
    {
      name: 'a seen token, with limits',
      url: '/api/resource-7/list',
      middleware: withLimits.gateway.middleware() as Middleware,
      token: withLimits.token,
    },
    {
      name: 'a seen token, with usage',
      url: '/api/resource-7/list',
      middleware: withUsage.gateway.middleware() as Middleware,
      token: withUsage.token,
    },
  ]
  const rows: Record<string, object> = {}
  for (const { name, url, middleware, token: own = token } of variants) {
    const run = createRun(own, url === '' ? (call) => `/api/resource-${call % 20}/${call}` : () => url)
    const differences = await compareBlocks(run, empty, middleware)
    const { median, low, high } = medianInterval(differences)
    rows[name] = { 'added µs': round(median), '95 % from': round(low), to: round(high) }
  }
  console.log(
    `The gateway above an empty middleware, ${PAIRS} pairs of ${CALLS} calls, Node ${process.version}`,
  )
  console.table(rows)
}

type Run = (middleware: Middleware) => Promise<number>

/** @returns the differences in microseconds of CPU time a call, one for each pair of blocks */
async function compareBlocks(run: Run, base: Middleware, variant: Middleware): Promise<number[]> {
  const differences: number[] = []
  for (let pair = -WARM_UP_PAIRS; pair < PAIRS; pair += 1) {
    // Every second pair begins with the other variant, because a block may profit from the block before it.
    const isBaseFirst = pair % 2 === 0
    const first = await run(isBaseFirst ? base : variant)
    const second = await run(isBaseFirst ? variant : base)
    if (pair >= 0) differences.push(isBaseFirst ? second - first : first - second)
  }
  return differences
}

/** Creates a function that makes one block of calls, and resolves with the microseconds of CPU time a call. */
function createRun(token: string, urlOf: (call: number) => string): Run {
  const app = new Koa()
  const authorization = `Bearer ${token}`
  const rawHeaders = ['Host', 'example.com', 'Authorization', authorization]
  const headers = { host: 'example.com', authorization }
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: '10.0.18.7' })
  let handled = 0
  const handler: Middleware = () => void (handled += 1)

  return async function run(middleware) {
    const composed = compose([middleware, handler])
    handled = 0
    const before = process.cpuUsage()
    for (let call = 0; call < CALLS; call += 1) {
      const request = new IncomingMessage(socket)
      Object.assign(request, { method: 'GET', url: urlOf(call), rawHeaders })
      request.headers = headers
      const response = new ServerResponse(request)
      await composed(app.createContext(request, response), async () => {})
      response.emit('close')
    }
    const { user, system } = process.cpuUsage(before)
    if (handled !== CALLS) throw new Error(`only ${handled} of ${CALLS} calls reached the handler`)
    return (user + system) / CALLS
  }
}

/** The memory of one process over many requests, and what is still active after `close()`. */
import { startRedis } from '../test/support/redis-server.ts'
import { round, slopeOf } from './figures.ts'
import type { Load } from './load.ts'
import type { Memory } from './peer.ts'
import { prepare, urlOf, type Peer, type Setting } from './rounds.ts'

const TOKENS = 100_000
const API_KEYS = 1000

/** Requests to one address, with a sample of the memory after each part. */
interface Sampling {
  readonly load: Load
  readonly samples: number
  /** The samples of the warm-up: meanwhile caches fill, and V8 compiles. The slope begins with the last of them. */
  readonly warmUpSamples: number
  /** Requests between two samples. */
  readonly requests: number
  /** On a slow or busy machine, no further part begins after this time. */
  readonly seconds: number
}

/** Measures a koa-gatehouse on Redis: gateway calls first, then token requests. */
export async function measureMemory(): Promise<void> {
  const setting = await prepare()
  const redis = await startRedis()
  const options = { redisPort: redis.port, clients: API_KEYS }
  const peer = await setting.startPeer('koa-gatehouse', options, ['--expose-gc'])
  const tokens = await setting.writeTokens({ count: TOKENS, peer })
  await sample(setting, peer, 'gateway calls, 100,000 tokens in turn', {
    load: { url: urlOf(peer, '/api/items/list'), tokens },
    samples: 20,
    warmUpSamples: 6,
    requests: 50_000,
    seconds: 140,
  })
  const forms = await setting.writeForms(peer, 'forms')
  await sample(setting, peer, 'token requests, 1,000 API keys in turn', {
    load: { url: urlOf(peer, '/auth/oauth2/token'), forms },
    samples: 20,
    warmUpSamples: 6,
    requests: 15_000,
    seconds: 220,
  })
  const active = await peer.ask<string[]>('close')
  console.log(
    `\nactive after close(): ${active.join(', ') || 'nothing'} (a PipeWrap is the connection to the bench)`,
  )
  setting.close()
  await redis.stop()
}

/** Prints the memory after each part, and its slope after the warm-up. */
async function sample(setting: Setting, peer: Peer, what: string, sampling: Sampling): Promise<void> {
  const { load, samples, warmUpSamples, requests, seconds } = sampling
  const started = performance.now()
  const points = [{ requests: 0, ...(await peer.ask<Memory>('memory')) }]
  while (points.length <= samples && performance.now() - started < seconds * 1000) {
    await setting.saturate({ load, seconds: 0, amount: requests })
    points.push({ requests: points.length * requests, ...(await peer.ask<Memory>('memory')) })
  }
  console.log(`\n${what}`)
  console.table(
    points.map((point) => ({
      'thousand requests': point.requests / 1000,
      'resident MB': round(point.rss / 1e6),
      'heap MB after gc': round(point.heap / 1e6),
    })),
  )
  if (points.length <= samples) console.log(`stopped after ${seconds} s, before all requests were sent`)
  const steady = points.slice(warmUpSamples)
  const first = steady[0]?.requests.toLocaleString('en')
  for (const kind of ['rss', 'heap'] as const) {
    const slope = slopeOf(steady.map((point) => [point.requests, point[kind]] as const))
    console.log(`${kind}, after the first ${first} requests: ${slope.toFixed(1)} bytes a request`)
  }
}

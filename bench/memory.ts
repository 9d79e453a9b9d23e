/** The memory of one process over many requests, and what is still active after `close()`. */
import { startRedis } from '../test/support/redis-server.ts'
import { slopeOf } from './figures.ts'
import { prepare, urlOf, type Peer, type Setting } from './rounds.ts'
import type { Load } from './load.ts'

const TOKENS = 100_000
const API_KEYS = 1000

/** Measures a koa-gatehouse on Redis: gateway calls first, then token requests. */
export async function measureMemory(): Promise<void> {
  const setting = await prepare()
  const redis = await startRedis()
  const peer = await setting.startPeer('koa-gatehouse', { redisPort: redis.port, clients: API_KEYS })
  const tokens = await setting.writeTokens({ count: TOKENS, peer })
  await sample(setting, peer, 'gateway calls, 100,000 tokens in turn', {
    load: { url: urlOf(peer, '/api/items/list'), tokens },
    samples: 20,
    requests: 50_000,
  })
  const forms = await setting.writeForms(peer, 'forms')
  await sample(setting, peer, 'token requests, 1,000 API keys in turn', {
    load: { url: urlOf(peer, '/auth/oauth2/token'), forms },
    samples: 12,
    requests: 25_000,
  })
  const active = await peer.ask<string[]>('close')
  console.log(
    `\nactive after close(): ${active.join(', ') || 'nothing'} (the pipe to the bench is one of them)`,
  )
  setting.close()
  await redis.stop()
}

/** Prints resident memory after each part, and its slope over the second half. */
async function sample(
  setting: Setting,
  peer: Peer,
  what: string,
  { load, samples, requests }: { load: Load; samples: number; requests: number },
): Promise<void> {
  const points: [thousands: number, bytes: number][] = [[0, await peer.ask<number>('memory')]]
  for (let count = 1; count <= samples; count += 1) {
    await setting.saturate({ load, seconds: 0, amount: requests })
    points.push([(count * requests) / 1000, await peer.ask<number>('memory')])
  }
  console.log(`\n${what}: resident memory`)
  console.table(
    points.map(([thousands, bytes]) => ({ 'thousand requests': thousands, MB: Math.round(bytes / 1e6) })),
  )
  const slope = slopeOf(points.slice(Math.ceil(points.length / 2)))
  console.log(`slope over the second half: ${Math.round(slope)} bytes per 1,000 requests`)
}

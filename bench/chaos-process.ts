/** One process of `chaos.ts`: an authorization service with its gateway, on a cluster or a single Redis. */
import { Cluster, Redis } from 'ioredis'
import { redisStore, type Durability } from '../adapters/redis.ts'
import { CALLBACK, startHost } from './host.ts'
import type { Question, Report } from './processes.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  /** The nodes of a cluster, or a single Redis. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  readonly port: number
  /** The port in the URL of the issuer. */
  readonly servicePort: number
  readonly durability?: Durability | undefined
  readonly refreshTokenGraceSeconds: number
  readonly storeTimeoutMs: number
}

/** What a process can be asked for: a new application, its memory, or its log. */
export type Ask = 'application' | 'memory' | 'log'

export interface ApplicationClient {
  readonly client_id: string
  readonly client_secret: string
}

/** Megabytes after a garbage collection. */
export interface Memory {
  readonly rss: number
  readonly heapUsed: number
}

const options = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const { addresses, port, servicePort, durability, refreshTokenGraceSeconds, storeTimeoutMs } = options
const report = (message: Report) => process.send?.(message)
/**
 * For each logged text: how often it was logged, and how many seconds after the start of this process it was
 * logged last.
 */
const log: Record<string, { times: number; last: number }> = {}
const client = connect()
client.on('error', () => {})
const { gatehouse } = await startHost({
  store: redisStore(client, durability && { durability }),
  port,
  servicePort,
  gatehouse: {
    refreshTokenGraceSeconds,
    storeTimeoutMs,
    logger: { debug() {}, info: record, warn: record, error: record },
  },
})
process.on('message', ({ number, ask }: Question<Ask>) => {
  void answer(ask).then((value) => report({ number, value }))
})
report({ ready: true })

/**
 * Connects with the settings of docs/redis.md. With these settings, calls fail soon while a server is unreachable.
 */
function connect(): Redis | Cluster {
  const [first] = addresses
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 500)
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy }
  if (addresses.length === 1 && first) return new Redis({ ...first, ...failFast })
  return new Cluster([...addresses], { clusterRetryStrategy: retryStrategy })
}

function record(details: object, message: string): void {
  const { err } = details as { err?: Error }
  const cause = err?.cause instanceof Error ? `, because ${err.cause.message}` : ''
  // Numbers and ids differ between equal errors, so they are masked.
  const text = `${message}: ${err?.message ?? ''}${cause}`.replaceAll(/\d{2,}\S*/g, '…')
  log[text] = { times: (log[text]?.times ?? 0) + 1, last: Math.round(performance.now() / 1000) }
}

async function answer(ask: Ask): Promise<unknown> {
  if (ask === 'application') return createApplication()
  if (ask === 'log') return log
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 1e6, heapUsed: heapUsed / 1e6 } satisfies Memory
}

/** A first-party application, which needs no consent page. */
async function createApplication(): Promise<ApplicationClient> {
  const { application, clientSecret } = await gatehouse.applications.create({
    accountId: 'acme',
    name: 'Measured',
    products: ['invoices', 'payments'],
    redirectUris: [CALLBACK],
  })
  await gatehouse.applications.setFirstParty(application.clientId, true)
  return { client_id: application.clientId, client_secret: clientSecret }
}

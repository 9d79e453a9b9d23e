/** One process of `chaos.ts`: an authorization service with its gateway, on a cluster or a single Redis. */
import { Cluster, Redis } from 'ioredis'
import { redisStore, type Durability } from '../adapters/redis.ts'
import { CALLBACK, startHost } from './host.ts'
import type { Question, Told } from './processes.ts'

/** What a process is started with, as JSON. */
export interface ProcessOptions {
  /** The nodes of a cluster, or a single Redis. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  readonly port: number
  /** Of the process that the issuer names. */
  readonly servicePort: number
  readonly durability?: Durability | undefined
  readonly refreshTokenGraceSeconds: number
  readonly storeTimeoutMs: number
}

/** What it can be asked for: a new application, what memory it takes, and what its logger was told. */
export type Ask = 'application' | 'memory' | 'complaints'

export interface ApplicationClient {
  readonly client_id: string
  readonly client_secret: string
}

/** Megabytes, garbage collected. */
export interface Memory {
  readonly rss: number
  readonly heapUsed: number
}

const options = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const { addresses, port, servicePort, durability, refreshTokenGraceSeconds, storeTimeoutMs } = options
const tell = (told: Told) => process.send?.(told)
/** How often the logger was told what, and when last: seconds from the start. */
const complaints: Record<string, { times: number; last: number }> = {}
const client = connect()
client.on('error', () => {})
const { gatehouse } = await startHost({
  store: redisStore(client, durability && { durability }),
  port,
  servicePort,
  gatehouse: {
    refreshTokenGraceSeconds,
    storeTimeoutMs,
    logger: { debug() {}, info: note, warn: note, error: note },
  },
})
process.on('message', ({ number, ask }: Question<Ask>) => {
  void answer(ask).then((value) => tell({ number, value }))
})
tell({ ready: true })

/** As the README says, so that calls fail soon while a server is away. */
function connect(): Redis | Cluster {
  const [first] = addresses
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 500)
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy }
  if (addresses.length === 1 && first) return new Redis({ ...first, ...failFast })
  return new Cluster([...addresses], { clusterRetryStrategy: retryStrategy })
}

function note(about: object, message: string): void {
  const { err } = about as { err?: Error }
  const cause = err?.cause instanceof Error ? `, because ${err.cause.message}` : ''
  // What differs from time to time would hide what is the same.
  const text = `${message}: ${err?.message ?? ''}${cause}`.replaceAll(/\d{2,}\S*/g, '…')
  complaints[text] = { times: (complaints[text]?.times ?? 0) + 1, last: Math.round(performance.now() / 1000) }
}

async function answer(ask: Ask): Promise<unknown> {
  if (ask === 'application') return createApplication()
  if (ask === 'complaints') return complaints
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 1e6, heapUsed: heapUsed / 1e6 } satisfies Memory
}

/** A first-party one, so that nobody is asked. */
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

/**
 * One process of `chaos.ts` or `revocation-failover.ts`: an authorization service with its gateway, on a cluster,
 * on Sentinels or on a single Redis.
 */
import { Cluster, Redis } from 'ioredis'
import { redisStore, type Durability } from '../../adapters/redis.ts'
import { CALLBACK, startHost } from '../../bench/host.ts'
import { forEach } from '../../bench/in-parallel.ts'
import type { Question, Report } from '../../bench/processes.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  /** The nodes of a cluster, the Sentinels, or a single Redis. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** The Sentinels' name for the master; undefined without Sentinels. */
  readonly sentinelName?: string | undefined
  readonly port: number
  /** The port in the URL of the issuer. */
  readonly servicePort: number
  readonly durability?: Durability | undefined
  readonly refreshTokenGraceSeconds: number
  readonly storeTimeoutMs: number
}

/**
 * What a process can be asked for: a new application, its memory, its log, a number of access tokens, or the
 * revocation of one. The answer to `revoke` is whether the token was revoked.
 */
export type Ask = 'application' | 'memory' | 'log' | 'tokens' | 'revoke'

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
const { addresses, sentinelName, port, servicePort, durability, refreshTokenGraceSeconds, storeTimeoutMs } =
  options
const report = (message: Report) => process.send?.(message)
/**
 * For each logged text: how often it was logged, and how many seconds after the start of this process it was
 * logged last.
 */
const log: Record<string, { times: number; last: number }> = {}
const client = connect()
client.on('error', () => {})
const { gatehouse, issuer } = await startHost({
  store: redisStore(client, durability && { durability }),
  port,
  servicePort,
  gatehouse: {
    refreshTokenGraceSeconds,
    storeTimeoutMs,
    logger: { debug() {}, info: record, warn: record, error: record },
  },
})
process.on('message', ({ number, ask, about }: Question<Ask>) => {
  void answer(ask, about).then((value) => report({ number, value }))
})
report({ ready: true })

/**
 * Connects with the settings of docs/redis.md. With these settings, calls fail soon while a server is unreachable.
 */
function connect(): Redis | Cluster {
  const [first] = addresses
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 500)
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy }
  if (sentinelName !== undefined) {
    return new Redis({
      sentinels: [...addresses],
      name: sentinelName,
      failoverDetector: true,
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      connectTimeout: 1000,
      ...failFast,
    })
  }
  if (addresses.length === 1 && first) return new Redis({ ...first, ...failFast })
  return new Cluster([...addresses], {
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: retryStrategy,
    redisOptions: { maxRetriesPerRequest: 0, connectTimeout: 1000 },
  })
}

function record(details: object, message: string): void {
  const { err } = details as { err?: Error }
  const cause = err?.cause instanceof Error ? `, because ${err.cause.message}` : ''
  // Numbers and ids differ between equal errors, so they are masked.
  const text = `${message}: ${err?.message ?? ''}${cause}`.replaceAll(/\d{2,}\S*/g, '…')
  log[text] = { times: (log[text]?.times ?? 0) + 1, last: Math.round(performance.now() / 1000) }
}

async function answer(ask: Ask, about: unknown): Promise<unknown> {
  if (ask === 'application') return createApplication()
  if (ask === 'tokens') return createTokens(Number(about))
  if (ask === 'revoke') {
    return gatehouse.tokens.revoke(String(about)).then(
      () => true,
      () => false,
    )
  }
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

/** Direct access tokens of one API key, each with a `jti` of its own. */
async function createTokens(count: number): Promise<string[]> {
  const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
    accountId: 'acme',
    name: 'Measured',
    products: ['invoices'],
  })
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: apiKey.clientId,
    client_secret: clientSecret,
  })
  return forEach(count, async () => {
    const response = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body })
    return ((await response.json()) as { access_token: string }).access_token
  })
}

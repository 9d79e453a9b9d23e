/** One process of `restarts.ts`: an authorization service with its gateway, which stops on SIGTERM. */
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { CALLBACK, startHost } from '../../bench/host.ts'
import type { Question, Report } from '../../bench/processes.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly redisUrl: string
  readonly port: number
  /** The port in the URL of the issuer. */
  readonly servicePort: number
  /** How the process stops: `shutdown()`, or `close()` of Node's server and of gatehouse. */
  readonly way: 'shutdown' | 'close'
  readonly graceMs: number | undefined
}

/** What a process can be asked for: the clients of the test. */
export type Ask = 'clients'

/** A client of each kind, with its secret as parameters of a token request. */
export interface Clients {
  readonly application: { readonly client_id: string; readonly client_secret: string }
  readonly apiKey: { readonly client_id: string; readonly client_secret: string }
}

const options = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const { redisUrl, port, servicePort, way, graceMs } = options
const redis = new Redis(redisUrl)
redis.on('error', () => {})
const { gatehouse, server } = await startHost({ store: redisStore(redis), port, servicePort })

process.once('SIGTERM', () => {
  const stopped = way === 'shutdown' ? gatehouse.shutdown(server, { graceMs }) : close()
  void stopped.then(() => {
    redis.disconnect()
    process.exit(0)
  })
})
process.on('message', ({ number }: Question<Ask>) => {
  void createClients().then((value) => report({ number, value }))
})
report({ ready: true })

/** What Node offers: no more connections, idle ones are closed, and after five seconds all others. */
async function close(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  setTimeout(() => server.closeAllConnections(), 5000).unref()
  await closed
  await gatehouse.close()
}

/** The application is first-party, because it then needs no consent page. */
async function createClients(): Promise<Clients> {
  const { application, clientSecret } = await gatehouse.applications.create({
    accountId: 'acme',
    name: 'Measured',
    products: ['invoices', 'payments'],
    redirectUris: [CALLBACK],
  })
  await gatehouse.applications.setFirstParty(application.clientId, true)
  const made = await gatehouse.apiKeys.create({ accountId: 'acme', name: 'Key', products: ['invoices'] })
  return {
    application: { client_id: application.clientId, client_secret: clientSecret },
    apiKey: { client_id: made.apiKey.clientId, client_secret: made.clientSecret },
  }
}

function report(message: Report): void {
  process.send?.(message)
}

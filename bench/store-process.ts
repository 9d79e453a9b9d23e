/** One process of `stores.ts`: an authorization service with its gateway and console on a store. */
import Koa from 'koa'
import { createConsole } from '../src/console.ts'
import { countedCalls, type CountedCalls } from '../test/support/counted-calls.ts'
import { CALLBACK, products, startHost } from './host.ts'
import type { Question, Report } from './processes.ts'
import { openStore, type StoreAddress } from './store-servers.ts'

export interface StoreProcessOptions {
  readonly port: number
  /** The port of the issuer. */
  readonly servicePort: number
  readonly store: StoreAddress
}

/** What a process can be asked. */
export type StoreAsk =
  | 'createKey'
  | 'createApplication'
  | 'disable'
  | 'revokeToken'
  | 'cpuMs'
  | 'beginCount'
  | 'endCount'

/** How long a call took in the process, and what it answered. */
export interface Timed {
  readonly milliseconds: number
  readonly value: unknown
}

const { port, servicePort, store: address } = JSON.parse(process.argv[2] ?? '') as StoreProcessOptions
const counted = countedCalls(openStore(address))
const app = new Koa()
let pages: Koa.Middleware | undefined
app.use((ctx, next) => (pages ? pages(ctx, next) : next()))
const { gatehouse } = await startHost({ store: counted.store, port, servicePort, app })
pages = createConsole(gatehouse) as Koa.Middleware

let endCount = () => {}
let counting: Promise<CountedCalls> | undefined

const answers: Readonly<Record<StoreAsk, (about: string) => unknown>> = {
  createKey: async (accountId) => {
    const input = { accountId, name: 'Measured', products: Object.keys(products) }
    const { apiKey, clientSecret } = await gatehouse.apiKeys.create(input as never)
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  },
  createApplication: async (accountId) => {
    const input = { accountId, name: 'Measured', products: Object.keys(products), redirectUris: [CALLBACK] }
    const { application, clientSecret } = await gatehouse.applications.create(input as never)
    await gatehouse.applications.setFirstParty(application.clientId, true)
    return { client_id: application.clientId, client_secret: clientSecret }
  },
  disable: (clientId) => gatehouse.apiKeys.disable(clientId),
  revokeToken: (token) => gatehouse.tokens.revoke(token),
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  beginCount() {
    counting = counted.of(() => new Promise<void>((resolve) => (endCount = resolve)))
  },
  endCount() {
    endCount()
    return counting
  },
}

process.on('message', ({ number, ask, about }: Question<StoreAsk>) => {
  void answer(ask, String(about)).then((value) => process.send?.({ number, value } satisfies Report))
})
process.send?.({ ready: true } satisfies Report)

async function answer(ask: StoreAsk, about: string): Promise<Timed> {
  const startedAt = performance.now()
  const value = await answers[ask](about)
  return { milliseconds: performance.now() - startedAt, value }
}

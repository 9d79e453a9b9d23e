/** An API behind a gateway as a program. `host-process.ts` compiles, starts and stops it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { createGateway } from 'koa-gatehouse/gateway'
import { products } from '../fixtures/products.ts'
import { deployStore } from './deployments.ts'
import type { GatewayProcessOptions } from './host-process.ts'

process.stdin.on('end', () => process.exit()).resume()

const { issuer, audience, from } = JSON.parse(process.argv[2] ?? '') as GatewayProcessOptions
const source = 'uri' in from ? from : { store: deployStore(from.deployment, from.keyPrefix).store }
/** The warnings and errors in the log, each with its cause. */
const log: string[] = []
const record = (details: object, message: string) => {
  const { err, reason } = details as { err?: Error; reason?: string }
  log.push(`${message}: ${err?.message ?? reason}`)
}
const gateway = createGateway({
  issuer,
  audience,
  products,
  revocations: { ...source, pollIntervalSeconds: 1, whenStale: 'serve' },
  logger: { debug() {}, info() {}, warn: record, error: record },
})
const app = new Koa()
app.use(gateway.middleware())
app.use((ctx) => void (ctx.body = { reached: ctx.path }))
const server = createServer(app.callback()).listen(0)
server.once('listening', () => console.log(`ready ${(server.address() as AddressInfo).port}`))

const answers: Readonly<Record<string, () => unknown>> = { health: () => gateway.health(), log: () => log }
process.on('message', async (question: string) => process.send?.(await answers[question]?.()))

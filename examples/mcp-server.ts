/**
 * An MCP server: AI assistants use the API of the example host through its tools. It is a process of its own, and a resource
 * with tokens of its own. `npm start` prints the command with an API key, which receives revocations over HTTP. With
 * `REDIS_URL`, the MCP server receives them from the same Redis as the host.
 * It is stateless: no request names an MCP session. A server with sessions must bind each session to its principal
 * (docs/mcp.md#sessions).
 *
 *     node build/examples/mcp-server.js ISSUER CLIENT_ID CLIENT_SECRET
 */
import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import Koa from 'koa'
import { createGateway } from 'koa-gatehouse/gateway'
import { requireTool } from 'koa-gatehouse/mcp'
import { corsOfMcp } from './mcp-server/cors.ts'
import { createTools, TOOL_SCOPES } from './mcp-server/tools.ts'
import { listen } from './server/listening.ts'
import { products } from './server/products.ts'
import { readSettings } from './server/settings.ts'
import { openStore } from './server/store.ts'

const [issuer = '', clientId = '', clientSecret = ''] = process.argv.slice(2)
const { mcpPort, mcpOrigin, store: settings } = readSettings()
const { store, close } = await openStore(settings)

const gateway = createGateway({
  issuer,
  audience: `${mcpOrigin}/mcp`,
  products: { invoices: products.invoices, reminders: products.reminders },
  // A client that names no scope requests what the metadata names. It gets further scopes when a tool needs them.
  metadataScopes: ['invoices:read'],
  revocations: store.volatile ? { clientId, clientSecret, pollIntervalSeconds: 1 } : { store },
  logger: { debug() {}, info() {}, warn: console.warn, error: console.error },
})
await gateway.ready()

const mcp = toNodeHandler(createMcpHandler(createTools))
const endpoint = new Router().all('/mcp', bodyParser(), requireTool(gateway, TOOL_SCOPES), async (ctx) => {
  ctx.respond = false
  await mcp(ctx.req as Parameters<typeof mcp>[0], ctx.res, ctx.request.body)
})

const app = new Koa()
app.use(corsOfMcp)
app.use(gateway.wellKnown())
app.use(endpoint.routes())
const server = await listen(app, mcpPort, 'MCP_PORT')
console.log(`MCP server: ${mcpOrigin}/mcp   Ctrl-C ends it.`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void gateway.shutdown(server, { graceMs: 0 }).then(close))
}

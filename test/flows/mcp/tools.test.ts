import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLimits } from '../../../src/limits.ts'
import { mcpVerifier, requireTool } from '../../../src/mcp.ts'
import { createUsage, type Usage } from '../../../src/usage.ts'
import { products } from '../../fixtures/products.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const MCP = 'https://tools.example/mcp'

const PRODUCTS = {
  ...products,
  assistant: { title: 'Assistant', operations: { 'reminders:send': { title: 'Send reminders' } } },
} as const

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describeEachStore('the tools of an MCP server', (makeStore) => {
  let host: Host
  let usage: Usage
  beforeEach(async () => {
    host = await startHost({
      store: makeStore(),
      gatehouse: {
        products: PRODUCTS,
        resources: { [MCP]: { products: ['invoices', 'assistant'], title: 'Example MCP' } },
      },
      mount(app, gatehouse) {
        createLimits(gatehouse, { perMinute: 20 })
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        const tools = { list_invoices: 'invoices:read', send_reminders: 'reminders:send' }
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(bodyParser())
        const guard = requireTool(gatehouse.gateway.for(MCP), tools) as Middleware
        app.use(new Router().all('/mcp', guard, (_ctx, next) => next()).routes())
      },
    })
    await host.gatehouse.ready()
  })
  afterEach(() => host.close())

  async function send(body: object, token: string) {
    const answer = await host.fetch(`${host.origin}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return {
      status: answer.status,
      challenge: answer.headers.get('www-authenticate'),
      headers: answer.headers,
    }
  }

  it('an operation without a route is approved, called as a tool, and revoked by the user', async () => {
    const application = await host.createApplication({ products: ['invoices', 'assistant'] })
    const parameters = { resource: MCP, scope: 'invoices:read' }
    const browser = host.browser()
    const first = await connect(host, application, { browser, parameters })
    expect((await send(LIST, first.access_token)).status).toBe(200)
    expect((await send(call('list_invoices'), first.access_token)).status).toBe(200)

    const rejected = await send(call('send_reminders'), first.access_token)
    expect(rejected.status).toBe(403)
    expect(rejected.challenge).toBe(
      `Bearer realm="${MCP}", error="insufficient_scope", error_description="the access token does not carry the scope reminders:send", scope="reminders:send", resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"`,
    )
    const wider = { resource: MCP, scope: 'invoices:read reminders:send' }
    const second = await connect(host, application, { browser, parameters: wider })
    expect((await send(call('send_reminders'), second.access_token)).status).toBe(200)
    expect((await send(call('list_invoices'), second.access_token)).status).toBe(200)

    for (const { grantId } of (await host.gatehouse.grants.list({ accountId: 'alice' })).items) {
      await host.gatehouse.grants.revoke(grantId)
    }
    for (const body of [LIST, call('send_reminders'), call('list_invoices')]) {
      const answer = await send(body, second.access_token)
      expect(answer.status).toBe(401)
      expect(answer.challenge).toContain('error="invalid_token"')
    }
  })

  it('a token for the API does not work at the MCP server, and removing an operation revokes its tokens', async () => {
    const key = await host.createApiKey(['invoices', 'assistant'])
    const token = async (resource: string) =>
      String((await host.requestDirectToken(key, { resource })).body['access_token'])
    expect((await send(LIST, await token(host.audience))).status).toBe(401)
    const own = await token(MCP)
    expect((await send(call('send_reminders'), own)).status).toBe(200)
    await host.gatehouse.apiKeys.removeOperation(key.client_id, 'reminders:send')
    expect((await send(call('send_reminders'), own)).status).toBe(401)
    expect((await send(call('send_reminders'), await token(MCP))).status).toBe(403)
  })

  it('limits and usage count each request once, with the operation of its tool', async () => {
    const key = await host.createApiKey(['invoices'])
    const token = String((await host.requestDirectToken(key, { resource: MCP })).body['access_token'])
    const answer = await send(call('list_invoices'), token)
    expect(answer.headers.get('ratelimit')).toContain('"minute";r=19;')
    await send(LIST, token)
    await send(call('send_reminders'), token)
    const { verifyAccessToken } = mcpVerifier(host.gatehouse.gateway.for(MCP), {
      invalidToken: (text) => new Error(text),
    })
    expect((await verifyAccessToken(token)).scopes).toEqual(['invoices:read', 'invoices:create'])
    expect((await send(LIST, token)).headers.get('ratelimit')).toContain('"minute";r=16;')
    await usage.flush()
    const rows = await usage.list({ clientId: key.client_id, by: ['operation', 'outcome'] })
    expect(rows.map(({ operation, outcome, count }) => `${operation}: ${outcome} ${count}`)).toEqual([
      'POST /oauth2/token: issued 1',
      'invoices:read: ok 1',
      'other operations: accepted 1',
      'other operations: ok 2',
      'reminders:send: insufficient_scope 1',
    ])
  })
})

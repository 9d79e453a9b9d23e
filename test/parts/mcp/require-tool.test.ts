import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import Koa, { type Context } from 'koa'
import request from 'supertest'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayDependencies } from '../../../src/gateway/dependencies.ts'
import { noRevocations } from '../../../src/gateway/dependencies.ts'
import { requireTool, type ToolScopes } from '../../../src/mcp.ts'
import { createTestGateway } from '../../gateway/support/api.ts'
import { AUDIENCE } from '../../gateway/support/token-issuer.ts'
import { thrownBy } from './thrown-by.ts'

const METADATA = 'https://example.com/.well-known/oauth-protected-resource/api'
const TOOLS = {
  list_invoices: 'invoices:read',
  create_report: ['invoices:read', 'reports:read'],
  create_invoice: 'invoices:create',
} as const

const message = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const toolCall = (name: unknown, id?: unknown) => message('tools/call', { name, arguments: {} }, id)

/** An app whose MCP endpoint is guarded by a gateway. */
async function serve(
  tools: ToolScopes = TOOLS,
  {
    above = bodyParser(),
    ...changes
  }: Partial<GatewayDependencies> & { above?: Koa.Middleware | undefined } = {},
) {
  const { gateway, issuer } = await createTestGateway(changes)
  const handler = vi.fn((ctx: Context) => {
    ctx.body = { account: ctx.state['auth'].accountId }
  })
  const app = new Koa()
  app.use(above)
  const router = new Router().all('/mcp', requireTool(gateway, tools), handler)
  app.use(router.routes())
  const agent = request(app.callback())
  return {
    gateway,
    handler,
    agent,
    mint: issuer.mint,
    /** Sends a message with a token that carries the scopes. */
    async send(body: unknown, scope?: string) {
      const post = agent.post('/mcp').set('Accept', 'application/json, text/event-stream')
      if (scope !== undefined) post.set('Authorization', `Bearer ${await issuer.mint({ scope })}`)
      return post.send(body as object)
    },
  }
}

let app: Awaited<ReturnType<typeof serve>>
beforeEach(async () => {
  app = await serve()
})

const challenge = (rest: string) => `Bearer realm="${AUDIENCE}", ${rest}resource_metadata="${METADATA}"`

describe('requireTool()', () => {
  it('a request without a token gets 401, with the scopes of its tool and the address of the metadata', async () => {
    const answer = await app.agent.post('/mcp').send(toolCall('create_report'))
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe(challenge('scope="invoices:read reports:read", '))
    const started = await app.agent.post('/mcp').send(message('initialize'))
    expect([started.status, started.headers['www-authenticate']]).toEqual([401, challenge('')])
    expect((await app.agent.get('/mcp')).status).toBe(401)
    expect((await app.agent.delete('/mcp')).status).toBe(401)
    expect(app.handler).not.toHaveBeenCalled()
  })

  it('a text that is no token, a token of another resource and an expired token get 401 invalid_token', async () => {
    for (const token of [
      'nonsense',
      await app.mint({ aud: 'https://example.com/other', scope: 'invoices:read' }),
      await app.mint({ exp: 1, iat: 0, scope: 'invoices:read' }),
    ]) {
      const post = app.agent.post('/mcp').set('Authorization', `Bearer ${token}`)
      const answer = await post.send(toolCall('list_invoices'))
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm=".*", error="invalid_token", /)
      expect(answer.headers['www-authenticate']).toContain(`resource_metadata="${METADATA}"`)
    }
    expect(app.handler).not.toHaveBeenCalled()
  })

  it('a call without a scope of its tool gets 403 with all scopes of the tool', async () => {
    const answer = await app.send(toolCall('create_report'), 'invoices:read')
    expect(answer.status).toBe(403)
    expect(answer.headers['www-authenticate']).toBe(
      challenge(
        'error="insufficient_scope", error_description="the access token does not carry the scope reports:read", scope="invoices:read reports:read", ',
      ),
    )
    expect(answer.body.error).toBe('insufficient_scope')
    expect(app.handler).not.toHaveBeenCalled()
  })

  it('a call with the scopes of its tool reaches the MCP server, which learns who calls', async () => {
    const answer = await app.send(toolCall('list_invoices'), 'invoices:read')
    expect([answer.status, answer.body]).toEqual([200, { account: 'acme' }])
    const [ctx] = app.handler.mock.calls[0]!
    const { auth } = ctx.req as unknown as { auth: Record<string, unknown> }
    expect(auth).toEqual({
      token: ctx.get('authorization').replace('Bearer ', ''),
      clientId: ctx.state['auth'].clientId,
      scopes: ['invoices:read'],
      expiresAt: ctx.state['auth'].expiresAt,
      resource: new URL(AUDIENCE),
      resourceMetadataUrl: METADATA,
      extra: { principal: ctx.state['auth'] },
    })
  })

  it('a message that calls no tool, GET and DELETE need a valid token, and no scope', async () => {
    for (const body of [
      message('initialize'),
      message('tools/list'),
      message('notifications/initialized', undefined, undefined),
      message('TOOLS/CALL', { name: 'create_invoice' }),
      { jsonrpc: '2.0', id: 4, result: {} },
      { jsonrpc: '2.0', id: 4, error: { code: 1, message: 'no' } },
    ]) {
      expect((await app.send(body)).status).toBe(401)
      expect((await app.send(body, 'reports:all')).status).toBe(200)
    }
    const bearer = `Bearer ${await app.mint({ scope: 'reports:all' })}`
    expect((await app.agent.get('/mcp').set('Authorization', bearer)).status).toBe(200)
    expect((await app.agent.delete('/mcp').set('Authorization', bearer)).status).toBe(200)
  })

  it('an unknown tool is answered as unknown, although the token is valid', async () => {
    const names = [
      'drop_tables',
      '__proto__',
      'constructor',
      'toString',
      '',
      'List_invoices',
      'x'.repeat(50_000),
    ]
    for (const name of names) {
      const answer = await app.send(toolCall(name, 'a-7'), 'invoices:read invoices:create')
      expect([answer.status, answer.body]).toEqual([
        200,
        { jsonrpc: '2.0', id: 'a-7', error: { code: -32602, message: 'Unknown tool' } },
      ])
      expect(answer.headers['content-type']).toContain('application/json')
      expect((await app.send(toolCall(name))).status).toBe(401)
    }
    expect(app.handler).not.toHaveBeenCalled()
  })

  const nested =
    '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call","params":{"name":"create_invoice"}}}'
  const inParams =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"create_invoice"}}}'
  it.each([
    ['an empty object', '{}'],
    ['an empty list', '[]'],
    ['a list in a list', JSON.stringify([[toolCall('list_invoices')]])],
    ['a list with a value that is no message', JSON.stringify([toolCall('list_invoices'), null])],
    ['a method that is no text', JSON.stringify({ ...toolCall('list_invoices'), method: ['tools/call'] })],
    ['a call without parameters', JSON.stringify(message('tools/call'))],
    ['parameters in a list', JSON.stringify(message('tools/call', ['list_invoices']))],
    ['a name that is no text', JSON.stringify(toolCall(['list_invoices']))],
    ['a message behind __proto__', nested],
    ['a name behind __proto__', inParams],
  ])('%s gets 400, and does not reach the MCP server', async (_, text) => {
    // A parser that keeps `__proto__`, as JSON.parse does.
    const { agent, mint, handler } = await serve(TOOLS, {
      above(ctx, next) {
        Object.assign(ctx.request, { body: JSON.parse(text) as unknown })
        return next()
      },
    })
    const bearer = `Bearer ${await mint({ scope: 'invoices:read invoices:create' })}`
    const answer = await agent.post('/mcp').set('Authorization', bearer)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    expect(handler).not.toHaveBeenCalled()
  })

  it('a body that no middleware has parsed gets 400, so that the MCP server cannot read a call that was not checked', async () => {
    const raw = await serve(TOOLS, { above: (_ctx, next) => next() })
    expect((await raw.send(toolCall('list_invoices'), 'invoices:read')).status).toBe(400)
    expect(raw.handler).not.toHaveBeenCalled()

    const type = 'text/plain; charset=utf-8; x=application/json'
    const post = app.agent.post('/mcp').set('Content-Type', type)
    const bearer = `Bearer ${await app.mint({ scope: 'reports:all' })}`
    const answer = await post.set('Authorization', bearer).send(JSON.stringify(toolCall('create_invoice')))
    expect(answer.status).toBe(400)
    expect(app.handler).not.toHaveBeenCalled()
  })

  it('a list of messages needs the scopes of all its tools', async () => {
    const list = [toolCall('list_invoices'), message('ping'), toolCall('create_invoice')]
    const answer = await app.send(list, 'invoices:read')
    expect(answer.status).toBe(403)
    expect(answer.headers['www-authenticate']).toContain('scope="invoices:read invoices:create"')
    expect((await app.send(list, 'invoices:read invoices:create')).status).toBe(200)
    const unknown = await app.send([...list, toolCall('drop_tables')], 'invoices:read invoices:create')
    expect(unknown.status).toBe(400)
    expect(unknown.body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32602, message: 'Unknown tool' },
    })
    expect(app.handler).toHaveBeenCalledTimes(1)
  })

  it('one scope is for all tools', async () => {
    const { send } = await serve('invoices:read')
    expect((await send(toolCall('any_tool'), 'reports:all')).status).toBe(403)
    expect((await send(toolCall('any_tool'), 'invoices:read')).status).toBe(200)
    expect((await send(message('tools/list'), 'reports:all')).status).toBe(200)
  })

  it('a revoked token gets 401, and a gateway that is not ready gets 503', async () => {
    let revoked = false
    let isReady = true
    const changes = {
      revocations: { ...noRevocations, isTokenRevoked: () => revoked },
      ready: () => (isReady ? Promise.resolve() : Promise.reject(new Error('not yet'))),
      startTimeoutMs: 1,
    }
    const one = await serve(TOOLS, changes)
    expect((await one.send(toolCall('list_invoices'), 'invoices:read')).status).toBe(200)
    revoked = true
    const answer = await one.send(toolCall('list_invoices'), 'invoices:read')
    expect([answer.status, answer.body.error_description]).toEqual([401, 'the access token has been revoked'])

    isReady = false
    const other = await serve(TOOLS, changes)
    const early = await other.send(toolCall('list_invoices'), 'invoices:read')
    expect([early.status, early.headers['retry-after']]).toEqual([503, '1'])
    expect(early.headers['www-authenticate']).toBeUndefined()
  })

  it('authenticate() decides the same outside of Koa', async () => {
    const guard = requireTool(app.gateway, TOOLS)
    const token = await app.mint({ scope: 'invoices:read' })
    const call = { method: 'POST', url: '/mcp', headers: { authorization: `Bearer ${token}` } }
    const accepted = await guard.authenticate(call, toolCall('list_invoices'))
    expect(accepted).toMatchObject({ ok: true, principal: { accountId: 'acme' }, headers: {} })
    expect(accepted.ok && accepted.authInfo.token).toBe(token)
    expect(await guard.authenticate(call, toolCall('create_invoice'))).toMatchObject({
      ok: false,
      status: 403,
    })
    expect(await guard.authenticate(call, toolCall('drop_tables'))).toMatchObject({ ok: false, status: 200 })
    expect(await guard.authenticate(call, undefined)).toMatchObject({ ok: false, status: 400 })
    expect(await guard.authenticate({ method: 'POST', headers: {} }, toolCall('x'))).toMatchObject({
      ok: false,
      status: 401,
    })
    const fetched = new Request('https://example.com/mcp', call)
    expect(await guard.authenticate(fetched, toolCall('list_invoices'))).toMatchObject({ ok: true })
    const withoutMethod = { url: '/mcp', headers: call.headers }
    // @ts-expect-error without a method, the tool of a message would not be checked
    await expect(guard.authenticate(withoutMethod, toolCall('create_invoice'))).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    await expect(guard.authenticate(call, {}, { adress: '::1' } as object)).rejects.toThrow('adress')
  })

  it.each<[string, unknown, string]>([
    [
      'a scope that no operation has',
      { a: 'invoices:raed' },
      'tools.a: no operation has the scope invoices:raed',
    ],
    ['one unknown scope for all tools', 'invoices:raed', 'tools: no operation has the scope invoices:raed'],
    ['a tool without a scope', { a: [] }, 'tools.a: name at least one scope'],
    ['a scope that is no text', { a: true }, 'tools.a: must be the scope of an operation'],
    ['no tool', {}, 'tools: name at least one tool'],
    ['nothing', undefined, 'tools: must be the scope of an operation'],
  ])('%s throws at construction', (_, tools, text) => {
    const error = thrownBy(() => requireTool(app.gateway, tools as ToolScopes))
    expect(error.code).toBe('ERR_OPTIONS')
    expect(error.message).toContain(text)
  })

  it('an object that is no gateway of this library throws at construction', () => {
    const error = thrownBy(() => requireTool({} as typeof app.gateway, TOOLS))
    expect(error.code).toBe('ERR_INVALID_ARGUMENT')
    expect(error.message).toContain('requireTool() takes gatehouse.gateway')
  })
})

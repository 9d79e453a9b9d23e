import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Router } from '@koa/router'
import type Koa from 'koa'
import { selectByHost, type Gatehouse, type GatehouseOptions } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describe, expect, it } from 'vitest'
import { startHost } from '../support/host.ts'
import { json, send } from '../support/raw-request.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The code of the first example with middleware below a heading of a document, without its imports. */
function codeBelow(document: string, heading: string): string {
  const [, below = ''] = readFileSync(path.join(root, document), 'utf8').split(`# ${heading}\n`)
  const examples = [...below.matchAll(/```[jt]s\n([^]*?)^```$/gm)].map(([, code = '']) => code)
  const code = examples.find((each) => each.includes('app.use(')) ?? expect.fail(`no code below “${heading}”`)
  return code.replaceAll(/^import .*$/gm, '')
}

/** Starts a host whose middleware is the code of a document. The last handler answers every path. */
function startExample(
  code: string,
  proxy: boolean,
  options: { audiencePath?: string; origin?: string; gatehouse?: Partial<GatehouseOptions> },
) {
  // oxlint-disable-next-line no-implied-eval -- the code is in a document of this repository
  const run = new Function('app', 'gatehouse', 'router', 'selectByHost', code) as (
    app: Koa,
    gatehouse: Gatehouse,
    router: Router,
    select: typeof selectByHost,
  ) => void
  return startHost({
    store: memoryStore(),
    ...options,
    mount(app, gatehouse) {
      app.proxy = proxy
      run(app, gatehouse, new Router(), selectByHost)
    },
  })
}

/** The headers of a client that claims to request a host name. */
const claims = (name: string) => [
  { host: name },
  { 'x-forwarded-host': name },
  { host: name, 'x-forwarded-host': name, forwarded: `host=${name}` },
]

describe.each([false, true])('the examples of the documents, with app.proxy = %s', (proxy) => {
  it('a forged host name leads to the pages of docs/mounting.md, and to no handler of the API', async () => {
    const code = codeBelow('docs/mounting.md', 'Pages under another host name')
    const host = await startExample(code, proxy, { audiencePath: '/v1' })
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    const authorization = `Bearer ${String(body['access_token'])}`

    for (const headers of [...claims('www.example.com'), ...claims('api.example.com')]) {
      for (const target of ['/v1/invoices/list', '/V1/invoices/list', '/v1/invoices/list?about']) {
        expect([headers, (await send(host.port, { target, headers })).status]).toEqual([headers, 401])
      }
      expect((await send(host.port, { target: '/v1/about/', headers })).status).toBe(404)
    }
    expect(host.reached).toEqual([])

    const page = { target: '/v1/about', headers: { host: 'www.example.com' } }
    expect(await send(host.port, page)).toMatchObject({ status: 200, text: 'About us' })
    expect((await send(host.port, { target: '/v1/about' })).status).toBe(404)
    const forwarded = { target: '/v1/about', headers: { 'x-forwarded-host': 'www.example.com' } }
    expect((await send(host.port, forwarded)).status).toBe(proxy ? 200 : 404)
    expect(host.reached).toEqual([])

    const call = { target: '/v1/invoices/list', headers: { host: 'www.example.com', authorization } }
    expect(json(await send(host.port, call))).toMatchObject({ reached: '/v1/invoices/list' })
    await host.close()
  })

  it('a forged host name leads past neither gateway of docs/several-resources.md', async () => {
    const code = codeBelow('docs/several-resources.md', 'Guard the resource in the same process')
    const host = await startExample(code, proxy, {
      origin: 'https://example.com',
      gatehouse: {
        resources: { 'https://example.com/mcp': { products: ['payments'], title: 'Example MCP' } },
      },
    })
    await host.gatehouse.ready()
    for (const name of ['example.com', 'mcp.example.com', 'localhost']) {
      for (const headers of claims(name)) {
        for (const target of ['/api/invoices/list', '/mcp/payments/list']) {
          expect([headers, (await send(host.port, { target, headers })).status]).toEqual([headers, 401])
        }
        expect((await send(host.port, { target: '/mcp/nothing', headers })).status).toBe(404)
      }
    }
    expect(host.reached).toEqual([])
    await host.close()
  })

  it('a forged host name leads past no gateway of resources with the same path', async () => {
    const code = codeBelow('docs/several-resources.md', 'Resources with the same path')
    const host = await startExample(code, proxy, {
      gatehouse: {
        audience: 'https://api.example.com',
        resources: { 'https://mcp.example.com': { products: ['payments'], title: 'Example MCP' } },
      },
    })
    await host.gatehouse.ready()
    for (const name of ['api.example.com', 'mcp.example.com', 'localhost', 'MCP.example.com']) {
      for (const headers of claims(name)) {
        for (const target of ['/invoices/list', '/payments/list', '/nothing'])
          expect([401, 404]).toContain((await send(host.port, { target, headers })).status)
      }
    }
    expect(host.reached).toEqual([])
    await host.close()
  })
})

import { request } from 'node:http'
import { gzipSync, gunzipSync } from 'node:zlib'
import type { Context, Middleware } from 'koa'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createConsole } from '../../../src/console.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const MAX_BYTES = 15_000

/** Ten products of eight operations each. */
const products = Object.fromEntries(
  Array.from({ length: 10 }, (_product, at) => [
    `product${at}`,
    {
      title: `Product number ${at}`,
      operations: Object.fromEntries(
        Array.from({ length: 8 }, (_operation, each) => [
          `product${at}:operation${each}`,
          { route: `GET /p${at}/o${each}` as const, title: `Operation ${each} of product number ${at}` },
        ]),
      ),
    },
  ]),
)

/** Compresses as koa-compress does: whatever is not encoded yet. */
const compress: Middleware = async (ctx, next) => {
  ctx.vary('Accept-Encoding')
  await next()
  const { body } = ctx
  if (ctx.response.get('Content-Encoding') || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return
  ctx.set('Content-Encoding', 'gzip')
  ctx.body = gzipSync(body)
}

const encoding = { 'accept-encoding': 'gzip, deflate, br' }

describe.each([
  ['a host that does not compress', [], undefined],
  ['a host that compresses', [compress], undefined],
  ['a host with a layout', [], (_ctx: Context, page: { body: string }) => page.body],
  ['a host with a layout that compresses', [compress], (_ctx: Context, page: { body: string }) => page.body],
] as const)('the compressed pages of the console in %s', (_name, middleware, layout) => {
  let host: ConsoleHost
  afterEach(() => host.close())

  /** Starts the host, and opens the page of a key as the bytes on the wire. */
  async function open() {
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { products },
      mount(app, gatehouse) {
        for (const each of middleware) app.use(each)
        app.use(createConsole(gatehouse, { layout }))
      },
    })
    const key = { accountId: 'acme', name: 'Nightly', products: Object.keys(products) }
    const { apiKey } = await host.gatehouse.apiKeys.create(key)
    const path = `/console/api-keys/${apiKey.clientId}/access`
    const visitor = host.visit('acme')
    const page = await visitor.open(path)
    const cookie = visitor.browser.cookieHeader(new URL(host.origin + path))
    const get = (headers: Record<string, string> = encoding, method = 'GET') =>
      bytesOf(host.origin + path, { method, headers: { cookie, ...headers } })
    return { path, visitor, page, get }
  }

  it('a page is small on the wire, and whole, has another CSRF token each time, and is plain for a client without gzip', async () => {
    const { page, get } = await open()
    const { headers, bytes } = await get()
    expect(headers['content-encoding']).toBe('gzip')
    expect(headers['vary']).toMatch(/Accept-Encoding/i)
    expect(headers['cache-control']).toBe('no-store')
    expect(Number(headers['content-length'])).toBe(bytes.length)
    expect(bytes.length).toBeLessThan(MAX_BYTES)
    const text = gunzipSync(bytes).toString()
    expect(text).toContain('product9:operation7')
    expect(text.length).toBe(page.body.length)

    const tokens = (text: string) =>
      [...text.matchAll(/name="csrf" value="([^"]+)"/g)].map(([, value]) => value)
    const [one, other] = [await get(), await get()].map(
      ({ bytes }) => new Set(tokens(gunzipSync(bytes).toString())),
    )
    expect(one?.size).toBe(1)
    expect(other?.size).toBe(1)
    expect(one).not.toEqual(other)

    const plain = await get({})
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['vary']).toMatch(/Accept-Encoding/i)
    expect(plain.bytes.toString()).toContain('product9:operation7')
    const [head, whole] = [await get(encoding, 'HEAD'), await get()]
    expect(head.bytes).toHaveLength(0)
    expect(head.headers['content-encoding']).toBe('gzip')
    expect(Math.abs(Number(head.headers['content-length']) - whole.bytes.length)).toBeLessThan(100)
  })
})

it('a host whose layout contains a secret switches the compression off', async () => {
  const layout = (ctx: Context, { body }: { body: string }) => {
    ctx['compress'] = false
    return body
  }
  const host = await startConsole({ store: memoryStore(), console: { layout } })
  const { headers } = await host.visit('acme').get('/console', encoding)
  expect(headers.get('content-encoding')).toBeNull()
  await host.close()
})

/** The headers, and the bytes as they were sent. */
function bytesOf(url: string, init: { method: string; headers: Record<string, string> }) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    const sent = request(url, init, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }))
    })
    sent.on('error', reject).end()
  })
}

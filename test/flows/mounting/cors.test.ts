// Also runs on: Koa 2
import { createHash } from 'node:crypto'
import { get, type IncomingHttpHeaders } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Middleware } from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { journey } from './journey.ts'

const ORIGIN = 'https://app.example'

/** CORS middleware of a host. It answers preflights, and sets the allowed origin on every other response. */
const cors: Middleware = async (ctx, next) => {
  if (ctx.get('origin') === '') return next()
  ctx.vary('Origin')
  ctx.set('Access-Control-Allow-Origin', ORIGIN)
  if (ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '') {
    ctx.set('Access-Control-Allow-Headers', 'authorization')
    ctx.status = 204
    return undefined
  }
  return next()
}

/** The bytes that Koa sends for a response body, or `undefined` if the response has no body. */
function bytesOf(body: unknown): Buffer | undefined {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body)
  return typeof body === 'object' && body !== null ? Buffer.from(JSON.stringify(body)) : undefined
}

/** Sets ETags and answers 304, as koa-etag and koa-conditional-get do. */
const etags: Middleware = async (ctx, next) => {
  await next()
  const bytes = bytesOf(ctx.body)
  if (!bytes || ctx.status !== 200) return
  ctx.etag = createHash('sha256').update(bytes).digest('base64url')
  if (ctx.fresh) ctx.status = 304
}

/** Compresses responses, as koa-compress does. */
const compression: Middleware = async (ctx, next) => {
  await next()
  const bytes = bytesOf(ctx.body)
  if (!bytes || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return
  const { type } = ctx.response
  ctx.set('Content-Encoding', 'gzip')
  ctx.body = gzipSync(bytes)
  ctx.type = type
  compressed.push(`${ctx.status} ${ctx.path}`)
}
const compressed: string[] = []

describe('a gatehouse below middleware that changes responses', () => {
  let host: Host
  beforeAll(async () => {
    // The global `fetch` asks for compressed responses.
    host = await startHost({ above: [cors, compression, etags], fetch: globalThis.fetch })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it('all endpoints and the API work below middleware for CORS, compression and ETags', async () => {
    await journey(host)
    expect(host.errors).toEqual([])
    expect(compressed).toEqual(
      expect.arrayContaining([
        '200 /auth/.well-known/openid-configuration',
        '200 /.well-known/oauth-authorization-server/auth',
        '200 /.well-known/oauth-protected-resource/api',
        '200 /auth/oauth2/jwks',
        '200 /auth/oauth2/token',
        '200 /auth/oauth2/userinfo',
        '403 /api/payments/list',
        '401 /api/invoices/list',
      ]),
    )
    expect(compressed.some((line) => line.startsWith('200 /auth/interaction/'))).toBe(true)
  })

  it('a compressed response contains the complete key set', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const { status, body } = await raw(`${host.issuer}/oauth2/jwks`, headers)
    expect(status).toBe(200)
    const { keys } = JSON.parse(gunzipSync(body).toString()) as { keys: { kty: string }[] }
    expect(keys.map(({ kty }) => kty).toSorted()).toEqual(['EC', 'EC', 'RSA', 'RSA'])
  })

  it('documents have an ETag, and a request with this ETag gets 304', async () => {
    for (const path of [
      '/auth/.well-known/openid-configuration',
      '/auth/oauth2/jwks',
      '/.well-known/oauth-protected-resource/api',
    ]) {
      const first = await raw(host.origin + path)
      expect(first.headers.etag).toMatch(/^"[\w-]{43}"$/)
      const again = await raw(host.origin + path, { 'if-none-match': first.headers.etag ?? '' })
      expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) })
    }
  })

  it('a page of another origin can read every rejection, and a preflight to the API needs no token', async () => {
    const { body } = await host.requestDirectToken(await host.createApiKey(['invoices']))
    const rejected: [method: string, path: string, authorization: string | undefined, status: number][] = [
      ['GET', '/api/invoices/list', undefined, 401],
      ['GET', '/api/invoices/list', 'Bearer x', 401],
      ['GET', '/api/invoices/list?access_token=x', undefined, 400],
      ['GET', '/api/unknown', undefined, 404],
      ['GET', '/api/payments/list', `Bearer ${String(body['access_token'])}`, 403],
      ['POST', '/auth/oauth2/token', undefined, 400],
      ['GET', '/auth/oauth2/token', undefined, 405],
      ['GET', '/auth/oauth2/userinfo', undefined, 401],
    ]
    for (const [method, path, authorization, status] of rejected) {
      const headers = { origin: ORIGIN, ...(authorization !== undefined && { authorization }) }
      const response = await fetch(host.origin + path, { method, headers })
      expect([path, response.status]).toEqual([path, status])
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(response.headers.get('vary')).toContain('Origin')
      expect(await response.json()).toHaveProperty('error_description')
    }
    expect(host.errors).toEqual([])
    const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' }
    const response = await fetch(`${host.audience}/invoices/list`, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization')
  })
})

describe('user info without CORS middleware of the host', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it('user info answers a request with an Origin header, and its response has no CORS headers', async () => {
    const tokens = await connect(host, await host.createApplication(), {
      parameters: { scope: 'openid profile' },
    })
    const authorization = `Bearer ${tokens.access_token}`
    for (const origin of [ORIGIN, host.origin, 'null']) {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${host.issuer}/oauth2/userinfo`, {
          method,
          headers: { authorization, origin },
        })
        expect([origin, method, response.status]).toEqual([origin, method, 200])
        expect(await response.json()).toEqual({ sub: 'alice', account_id: 'alice', name: 'Alice' })
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      }
    }
  })

  it('the endpoints that take a client secret still reject a request with an Origin header', async () => {
    const key = await host.createApiKey()
    for (const path of ['token', 'revoke', 'introspect']) {
      const form = { ...key, grant_type: 'client_credentials', token: 'x' }
      const { status, body } = await host.post(`/oauth2/${path}`, form, { origin: ORIGIN })
      expect([path, status, body['error']]).toEqual([path, 400, 'invalid_request'])
    }
  })
})

/** Sends a request and returns the response without decompressing it. */
function raw(address: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(address, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      )
    }).once('error', reject)
  })
}

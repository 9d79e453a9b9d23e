import { gzipSync } from 'node:zlib'
import { bodyParser } from '@koa/bodyparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { json, send } from '../../support/raw-request.ts'

const FORM = 'application/x-www-form-urlencoded'
const ENDPOINTS = ['token', 'revoke', 'introspect'] as const

describe.each([
  ['no body parser', []],
  ['a body parser of the host above gatehouse', [bodyParser()]],
])('the body of a request to an OAuth endpoint, with %s', (_name, above) => {
  let host: Host
  let form: string
  const rejected: unknown[] = []
  beforeAll(async () => {
    host = await startHost({ above })
    await host.gatehouse.ready()
    const key = await host.createApiKey()
    form = new URLSearchParams({ ...key, grant_type: 'client_credentials', token: 'x' }).toString()
    host.gatehouse.on('token.rejected', (event) => rejected.push(event))
  })
  afterAll(() => host.close())

  const post = (
    endpoint: string,
    headers: Record<string, string>,
    body: string | Uint8Array,
    chunked = false,
  ) => send(host.port, { method: 'POST', target: `/auth/oauth2/${endpoint}`, headers, body, chunked })

  it('a form body is accepted at every endpoint, and a body without a content type is answered with 415', async () => {
    for (const endpoint of ENDPOINTS) {
      for (const [headers, chunked] of [
        [{}, false],
        [{ 'content-type': `${FORM}; charset=utf-8` }, true],
        [{ 'content-encoding': 'identity' }, false],
      ] as const) {
        const answer = await post(endpoint, { 'content-type': FORM, ...headers }, form, chunked)
        expect([endpoint, answer.status]).toEqual([endpoint, 200])
      }
    }
    for (const endpoint of [...ENDPOINTS, 'userinfo']) {
      const answer = await post(endpoint, {}, form)
      expect([endpoint, answer.status, json(answer)['error']]).toEqual([endpoint, 415, 'invalid_request'])
      expect(json(answer)['error_description']).toContain('application/x-www-form-urlencoded')
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('a body that is not a form is answered with 415 at every endpoint', async () => {
    for (const endpoint of ENDPOINTS) {
      for (const type of ['application/json', 'multipart/form-data; boundary=b', 'text/plain']) {
        const answer = await post(endpoint, { 'content-type': type, accept: 'text/html' }, '{"a":"b"}')
        expect([endpoint, answer.status, json(answer)['error']]).toEqual([endpoint, 415, 'invalid_request'])
      }
    }
  })

  // A body parser of the host has its own limit, and has already decompressed the body.
  if (above.length === 0)
    it('a body larger than 56 KiB is answered with 413, with and without a Content-Length, and a compressed body with 415', async () => {
      for (const endpoint of ENDPOINTS) {
        for (const chunked of [false, true]) {
          const long = `${form}&x=${'x'.repeat(57 * 1024)}`
          const answer = await post(endpoint, { 'content-type': FORM }, long, chunked)
          expect([endpoint, answer.status, json(answer)['error']]).toEqual([endpoint, 413, 'invalid_request'])
          expect(answer.headers.get('cache-control')).toBe('no-store')
        }
        const fits = `${form}&x=${'x'.repeat(55 * 1024)}`
        expect((await post(endpoint, { 'content-type': FORM }, fits)).status).toBe(200)
        const headers = { 'content-type': FORM, 'content-encoding': 'gzip' }
        const answer = await post(endpoint, headers, gzipSync(form))
        expect([endpoint, answer.status, json(answer)['error']]).toEqual([endpoint, 415, 'invalid_request'])
        expect(json(answer)['error_description']).toContain('Content-Encoding')
      }
    })

  it('a rejected body emits token.rejected at the token endpoint only', async () => {
    rejected.splice(0)
    await post('token', {}, form)
    expect(rejected).toMatchObject([{ error: 'invalid_request' }])
    await post('revoke', {}, form)
    expect(rejected).toHaveLength(1)
  })

  it('a POST to the userinfo endpoint with a token in the header needs no body (OpenID Connect Core 5.3.1)', async () => {
    const { access_token } = await connect(host, await host.createApplication(), {
      parameters: { scope: 'openid' },
    })
    const answer = await post('userinfo', { authorization: `Bearer ${access_token}` }, '')
    expect(answer.status).toBe(200)
    expect(json(answer)).toMatchObject({ sub: 'alice' })
  })

  it('a request with a body to an address that is not an endpoint is passed on to the host', async () => {
    const answer = await post('of-the-host', { 'content-type': 'application/json' }, '{}')
    expect([answer.status, json(answer)['reached']]).toEqual([200, '/auth/oauth2/of-the-host'])
  })
})

describe('requests without client authentication', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it('a request without client authentication, or with a client_id and no secret, gets 401 invalid_client with WWW-Authenticate at every endpoint (RFC 6749 5.2)', async () => {
    const { client_id } = await host.createApiKey()
    const missing = 'client_id and client_secret are missing'
    for (const endpoint of ENDPOINTS) {
      for (const [body, description] of [
        [{ grant_type: 'client_credentials', token: 'x' }, missing],
        [{ client_id: '', client_secret: '' }, missing],
        [{}, missing],
        [{ client_id, grant_type: 'client_credentials', token: 'x' }, 'client_secret is missing'],
      ] as const) {
        const answer = await host.post(`/oauth2/${endpoint}`, body)
        expect([endpoint, answer.status, answer.body['error']]).toEqual([endpoint, 401, 'invalid_client'])
        expect(answer.body['error_description']).toContain(description)
        expect(answer.headers.get('www-authenticate')).toBe(`Basic realm="${host.issuer}"`)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
  })

  it('a token request without client authentication emits one token.rejected event', async () => {
    const rejected: unknown[] = []
    host.gatehouse.on('token.rejected', (event) => rejected.push(event))
    await host.token({ grant_type: 'client_credentials' })
    expect(rejected).toMatchObject([{ error: 'invalid_client' }])
  })
})

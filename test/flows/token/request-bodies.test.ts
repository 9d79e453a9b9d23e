import { gzipSync } from 'node:zlib'
import { bodyParser } from '@koa/bodyparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { json, send } from '../../support/raw-request.ts'

const FORM = 'application/x-www-form-urlencoded'
const ENDPOINTS = ['token', 'revoke', 'introspect'] as const

describe.each([
  ['no body parser', []],
  ['a body parser above', [bodyParser()]],
])('The body of a request, with %s', (_name, above) => {
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

  const ask = (
    endpoint: string,
    headers: Record<string, string>,
    body: string | Uint8Array,
    chunked = false,
  ) => send(host.port, { method: 'POST', target: `/auth/oauth2/${endpoint}`, headers, body, chunked })

  it.each(ENDPOINTS)('is understood at %s', async (endpoint) => {
    expect((await ask(endpoint, { 'content-type': FORM }, form)).status).toBe(200)
    expect((await ask(endpoint, { 'content-type': `${FORM}; charset=utf-8` }, form, true)).status).toBe(200)
    expect((await ask(endpoint, { 'content-type': FORM, 'content-encoding': 'identity' }, form)).status).toBe(
      200,
    )
  })

  it.each([...ENDPOINTS, 'userinfo'])('without a content type is 415 at %s', async (endpoint) => {
    const answer = await ask(endpoint, {}, form)
    expect([answer.status, json(answer)['error']]).toEqual([415, 'invalid_request'])
    expect(json(answer)['error_description']).toContain('application/x-www-form-urlencoded')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it.each(ENDPOINTS)('of another type is 415 at %s', async (endpoint) => {
    for (const type of ['application/json', 'multipart/form-data; boundary=b', 'text/plain']) {
      const answer = await ask(endpoint, { 'content-type': type, accept: 'text/html' }, '{"a":"b"}')
      expect([answer.status, json(answer)['error']]).toEqual([415, 'invalid_request'])
    }
  })

  it.each(ENDPOINTS)('that is larger than 56 KiB is 413 at %s, however it is sent', async (endpoint) => {
    // A parser of the host has a limit of its own, which it throws.
    if (above.length > 0) return
    for (const chunked of [false, true]) {
      const long = `${form}&x=${'x'.repeat(57 * 1024)}`
      const answer = await ask(endpoint, { 'content-type': FORM }, long, chunked)
      expect([answer.status, json(answer)['error']]).toEqual([413, 'invalid_request'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    const fits = `${form}&x=${'x'.repeat(55 * 1024)}`
    expect((await ask(endpoint, { 'content-type': FORM }, fits)).status).toBe(200)
  })

  it.each(ENDPOINTS)('that is compressed is 415 at %s', async (endpoint) => {
    // A parser of the host expands it, and has read it by then.
    if (above.length > 0) return
    const headers = { 'content-type': FORM, 'content-encoding': 'gzip' }
    const answer = await ask(endpoint, headers, gzipSync(form))
    expect([answer.status, json(answer)['error']]).toEqual([415, 'invalid_request'])
    expect(json(answer)['error_description']).toContain('Content-Encoding')
  })

  it('that is rejected is told by the event, as any request for a token that is rejected', async () => {
    rejected.splice(0)
    await ask('token', {}, form)
    expect(rejected).toMatchObject([{ error: 'invalid_request' }])
    await ask('revoke', {}, form)
    expect(rejected).toHaveLength(1)
  })

  it('may be missing where the token is in the header (OpenID Connect Core 5.3.1)', async () => {
    const { access_token } = await connect(host, await host.createApplication(), {
      parameters: { scope: 'openid' },
    })
    const answer = await ask('userinfo', { authorization: `Bearer ${access_token}` }, '')
    expect(answer.status).toBe(200)
    expect(json(answer)).toMatchObject({ sub: 'alice' })
  })

  it('is the host’s own where the address is no endpoint', async () => {
    const answer = await ask('of-the-host', { 'content-type': 'application/json' }, '{}')
    expect([answer.status, json(answer)['reached']]).toEqual([200, '/auth/oauth2/of-the-host'])
  })
})

describe('A request without any client authentication', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it.each(ENDPOINTS)('is 401 invalid_client with a challenge at %s (RFC 6749 5.2)', async (endpoint) => {
    const bodies = [
      { grant_type: 'client_credentials', token: 'x' },
      { client_id: '', client_secret: '' },
      {},
    ]
    for (const body of bodies) {
      const answer = await host.post(`/oauth2/${endpoint}`, body)
      expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client'])
      expect(answer.body['error_description']).toContain('client_id and client_secret are missing')
      expect(answer.headers.get('www-authenticate')).toBe(`Basic realm="${host.issuer}"`)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it.each(ENDPOINTS)('but with a client_id has the challenge too at %s', async (endpoint) => {
    const { client_id } = await host.createApiKey()
    const answer = await host.post(`/oauth2/${endpoint}`, {
      client_id,
      grant_type: 'client_credentials',
      token: 'x',
    })
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client'])
    expect(answer.headers.get('www-authenticate')).toBe(`Basic realm="${host.issuer}"`)
  })

  it('is told by one event at the token endpoint', async () => {
    const rejected: unknown[] = []
    host.gatehouse.on('token.rejected', (event) => rejected.push(event))
    await host.token({ grant_type: 'client_credentials' })
    expect(rejected).toMatchObject([{ error: 'invalid_client' }])
  })
})

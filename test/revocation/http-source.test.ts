import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { areCredentialsRejected } from '../../src/errors.ts'
import { createHttpSource } from '../../src/revocation/http-source.ts'

const revocation = { of: 'token', id: 'token-1', until: 2_000_000_000 } as const

let server: Server
let uri: string
let requests: { url: string; headers: IncomingMessage['headers'] }[]
let respond: (response: ServerResponse, request: IncomingMessage) => void

const json =
  (value: unknown, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(200, headers).end(JSON.stringify(value))
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end()

beforeEach(async () => {
  requests = []
  respond = json({ revocations: [revocation], cursor: 'c1', more: false })
  server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers })
    respond(response, request)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/oauth2/revocations`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const source = (options: Partial<Parameters<typeof createHttpSource>[0]> = {}) =>
  createHttpSource({ uri, clientId: 'key_1', clientSecret: 'secret', timeoutMs: 2000, ...options })
const failureOf = (options: Parameters<typeof source>[0] = {}) =>
  source(options)
    .read('c')
    .catch((error: unknown) => error)

describe('the HTTP source', () => {
  it('a read sends Basic credentials and its cursor', async () => {
    const { read } = source()
    expect(await read(undefined)).toEqual({ revocations: [revocation], cursor: 'c1', more: false })
    await read('a b&c')
    expect(requests.map(({ url }) => url)).toEqual([
      '/auth/oauth2/revocations',
      '/auth/oauth2/revocations?cursor=a+b%26c',
    ])
    expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('key_1:secret').toString('base64')}`)
  })

  it('credentials are form-encoded before they are encoded as Basic credentials (RFC 6749 2.3.1)', async () => {
    await source({ clientId: 'a:b', clientSecret: 'ü %+' }).read(undefined)
    const [, value = ''] = requests[0]?.headers.authorization?.split(' ') ?? []
    expect(Buffer.from(value, 'base64').toString()).toBe('a%3Ab:%C3%BC+%25%2B')
  })

  it('a read keeps the query of the address', async () => {
    await source({ uri: `${uri}?tenant=7` }).read('c')
    expect(requests[0]?.url).toBe('/auth/oauth2/revocations?tenant=7&cursor=c')
  })

  it('a read that gets a 304 returns an empty list and the same cursor', async () => {
    const { read } = source()
    respond = json({ revocations: [], cursor: 'c1', more: false }, { ETag: '"one"' })
    await read(undefined)
    respond = status(304)
    expect(await read('c1')).toEqual({ revocations: [], cursor: 'c1', more: false })
    expect(requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"'])
  })

  it('a first read, and a read that continues with the next page, send no If-None-Match', async () => {
    const { read } = source()
    respond = json({ revocations: [revocation], cursor: 'c1', more: true }, { ETag: '"page"' })
    expect(await read(undefined)).toMatchObject({ cursor: 'c1', more: true })
    respond = json({ revocations: [], cursor: 'c2', more: false }, { ETag: '"end"' })
    await read('c1')
    await read(undefined)
    expect(requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined])
  })

  it('a read omits corrupt revocations', async () => {
    const revocations = [revocation, { of: 'planet', id: 'x', until: 1 }, null, 7, { of: 'token', id: 'y' }]
    respond = json({ revocations, cursor: 'c', more: false })
    expect(await source().read(undefined)).toEqual({ revocations: [revocation], cursor: 'c', more: false })
  })

  it('an answer can reject the key: the error names the key and the remedy, without the secret', async () => {
    for (const [code, error, hint] of [
      [401, 'invalid_client', 'revocations.clientSecret'],
      [403, 'unauthorized_client', 'setResourceServer'],
      [429, 'invalid_client', 'wrong secrets'],
    ] as const) {
      respond = (response) => void response.writeHead(code).end(JSON.stringify({ error }))
      const failure = await failureOf({ clientSecret: 'very-secret' })
      expect(failure).toMatchObject({ code: 'ERR_NOT_READY', message: expect.stringContaining(hint) })
      expect(failure).toMatchObject({ message: expect.stringContaining('key_1') })
      expect(areCredentialsRejected(failure)).toBe(true)
      expect(JSON.stringify(failure) + String(failure)).not.toContain('very-secret')
    }
  })

  it('an answer of another form is a failure like an outage', async () => {
    const answers: [number, string][] = [
      [401, ''],
      [401, '{"error":"unauthorized_client"}'],
      [401, '{"error":"unauthorized"}'],
      [401, '["invalid_client"]'],
      [403, '{"error":"invalid_client"}'],
      [403, '<html>403 Forbidden</html>'],
      [403, 'null'],
      [429, '{"error":"too_many_requests"}'],
      [400, '{"error":"invalid_client"}'],
      [503, '{"error":"unauthorized_client"}'],
      [404, ''],
      [204, ''],
      [401, `{"error":"invalid_client","padding":"${'x'.repeat(100_000)}"}`],
    ]
    for (const [code, body] of answers) {
      respond = (response) => void response.writeHead(code).end(body)
      const failure = await failureOf()
      const message = expect.stringContaining(`HTTP ${code}`) as string
      expect(failure).toMatchObject({ code: 'ERR_NOT_READY', message })
      expect([code, body, areCredentialsRejected(failure)]).toEqual([code, body, false])
    }
  })

  it('an error answer whose body never ends is a failure like an outage, within the timeout', async () => {
    respond = (response) => void response.writeHead(401).write('{"error":')
    expect(areCredentialsRejected(await failureOf({ timeoutMs: 50 }))).toBe(false)
  })

  it('a 304 to an unconditional request is an error', async () => {
    respond = status(304)
    await expect(source().read(undefined)).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
  })

  it('a redirect is rejected, because the secret is sent only to the configured address', async () => {
    respond = (response, request) =>
      request.url === '/elsewhere'
        ? json({ revocations: [], cursor: 'stolen', more: false })(response)
        : status(302, { Location: '/elsewhere' })(response)
    await expect(source().read(undefined)).rejects.toMatchObject({
      code: 'ERR_NOT_READY',
      message: expect.stringContaining('redirect'),
    })
    expect(requests.map(({ url }) => url)).toEqual(['/auth/oauth2/revocations'])
  })

  it('a malformed response is an error', async () => {
    for (const body of [
      'not json',
      '[]',
      'null',
      '{"revocations":{},"cursor":"c","more":false}',
      '{"revocations":[],"more":false}',
      '{"revocations":[],"cursor":"c"}',
    ]) {
      respond = (response) => void response.end(body)
      await expect(source().read(undefined), body).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
    }
  })

  it('an endless response is aborted', async () => {
    const chunk = Buffer.alloc(1_048_576, ' ')
    let sent = 0
    respond = (response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += 1
        response.once('drain', more)
      }
      more()
    }
    await expect(source({ timeoutMs: 20_000 }).read(undefined)).rejects.toMatchObject({
      code: 'ERR_NOT_READY',
      message: expect.stringContaining('larger than'),
    })
    expect(sent).toBeLessThan(100)
  })

  it.each(['nothing', 'half a response'])('a read times out if the server sends %s', async (what) => {
    respond = (response) => void (what === 'nothing' || response.write('{"revocations":['))
    await expect(source({ timeoutMs: 50 }).read(undefined)).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
  })

  it('reads soon after a failed read fail without another request', async () => {
    respond = status(500)
    const { read } = source()
    const failures = []
    for (let i = 0; i < 5; i += 1) failures.push(await read(undefined).catch((error: unknown) => error))
    expect(requests).toHaveLength(1)
    expect(new Set(failures).size).toBe(1)
  })

  it('close() aborts pending requests', async () => {
    let asked = () => {}
    const arrived = new Promise<void>((resolve) => (asked = resolve))
    respond = () => asked()
    const { read, close } = source({ timeoutMs: 60_000 })
    const reading = expect(read(undefined)).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await arrived
    close?.()
    await reading
  })
})

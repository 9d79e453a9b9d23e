import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'
import { json, send, type RawAnswer, type RawRequest } from '../../support/raw-request.ts'
import { BAD_BODIES, BAD_VALUES } from './bad-values.ts'
import { prepareEndpoints, type Endpoint, type Prepared } from './endpoints.ts'

type Sent = Omit<RawRequest, 'target'> & { query?: string }

/** What a program accepts, and what a browser does. */
const ACCEPTS = ['*/*', 'text/html,application/xhtml+xml,*/*;q=0.8']
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
/** The characters that RFC 6749 5.2 and 4.1.2.1 allow in an `error_description`. */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
const STACK_TRACE = /node_modules|\.[cm]?[jt]s:\d+|\bat (async )?\w+[ .(]|TypeError|RangeError/

/** The names of all endpoints. `it.each` needs the names before a host runs. */
const NAMES = [
  'authorization',
  'pending authorization request',
  'unknown authorization request',
  'token, client credentials',
  'token, authorization code',
  'token, refresh token',
  'user info',
  'user info, token in the form',
  'revocation',
  'introspection',
  'revocations',
  'key set',
  'OpenID configuration',
  'metadata below the issuer',
  'sign-out',
  'confirmed sign-out',
  'signed out',
  'interaction',
  'unknown interaction',
  'sign-in form',
  'consent form',
  'form to switch accounts',
]

describe('invalid input at every endpoint', () => {
  let host: Host
  let prepared: Prepared
  const failures: unknown[] = []
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    host.gatehouse.on('error', ({ error }) => failures.push(error))
    prepared = await prepareEndpoints(host)
  })
  afterAll(() => host.close())

  it('the list of names has the name of every endpoint', () => {
    expect(prepared.endpoints.map(({ name }) => name)).toEqual(NAMES)
  })

  function endpointOf(name: string): Endpoint {
    const endpoint = prepared.endpoints.find((one) => one.name === name)
    if (!endpoint) throw new Error(`there is no endpoint ${name}`)
    return endpoint
  }

  /** Sends a request as a program and as a browser, and checks the rules for every response. */
  async function sendAs(endpoint: Endpoint, raw: Sent, accepts: readonly string[] = ACCEPTS) {
    const { query = '', ...rest } = raw
    const target = `${new URL(host.issuer).pathname}${endpoint.path}${query && `?${query}`}`
    const answers: RawAnswer[] = []
    for (const accept of accepts) {
      const headers = { accept, ...endpoint.headers, ...raw.headers }
      const answer = await send(host.port, { ...rest, target, headers })
      checkAnswer(endpoint, answer, accept.startsWith('text/html'))
      answers.push(answer)
    }
    return answers
  }

  let sent = 0
  /** Sends a request as a program or as a browser, in turn: one of the many that differ in a value. */
  const sendInTurn = (endpoint: Endpoint, raw: Sent) =>
    sendAs(endpoint, raw, ACCEPTS.slice((sent += 1) % 2).slice(0, 1))

  function checkAnswer(endpoint: Endpoint, answer: RawAnswer, isBrowser: boolean): void {
    const { status, headers, text } = answer
    if (isPassedOn(answer)) {
      expect(endpoint.name).toMatch(/ authorization request$/)
      return
    }
    const all = text + JSON.stringify([...headers])
    expect(status, text).toBeLessThan(500)
    expect(text).not.toMatch(STACK_TRACE)
    expect(headers.get('set-cookie') ?? '').not.toContain('evil=')
    // No response may contain a secret, not even a secret that the request sent.
    for (const secret of prepared.secrets)
      if (all.includes(secret)) throw new Error('a secret is in the answer')
    if (!(endpoint.isPublic && status === 200)) expect(headers.get('cache-control')).toContain('no-store')
    if (status < 400) return

    const isPage = (headers.get('content-type') ?? '').startsWith('text/html')
    if (isPage) {
      expect(isBrowser || endpoint.isPage).toBe(true)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      return
    }
    if (text === '') return
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    const body = json(answer)
    // A request without a token gets no error code in the body or in `WWW-Authenticate` (RFC 6750 3.1).
    const lacksToken = status === 401 && /^Bearer (?!.*error=)/.test(headers.get('www-authenticate') ?? '')
    if (lacksToken) expect(body).not.toHaveProperty('error')
    else expect(body['error']).toMatch(/^[a-z_]+$/)
    expect(body['error_description'] ?? '').toMatch(DESCRIPTION)
    expect(
      Object.keys(body).filter(
        (name) => !['error', 'error_description', 'scope', 'state', 'iss'].includes(name),
      ),
    ).toEqual([])
  }

  /** Whether the host's own handler answered. The host may have its own pages below the issuer. */
  function isPassedOn(answer: RawAnswer): boolean {
    return answer.status === 200 && 'reached' in json(answer)
  }

  function requestWith(method: string, encoded: string) {
    return method === 'POST' ? { method, headers: FORM, body: encoded } : { method, query: encoded }
  }

  const encode = (parameters: Readonly<Record<string, string>>) => new URLSearchParams(parameters).toString()

  describe.each(NAMES)('the endpoint "%s"', (name) => {
    it(`the endpoint "${name}" accepts a valid request`, async () => {
      const endpoint = endpointOf(name)
      const [method = 'GET'] = endpoint.methods
      const [answer] = await sendAs(endpoint, requestWith(method, encode(endpoint.parameters)))
      expect(answer!.status, answer!.text).toBe(endpoint.status)
    })

    it.each(Object.keys(BAD_BODIES))(`the endpoint "${name}" survives a body that is %s`, async (kind) => {
      const endpoint = endpointOf(name)
      const [answer] = await sendAs(endpoint, { method: 'POST', ...BAD_BODIES[kind] })
      // User info takes the token from the header, so it may ignore the body.
      if (name === 'user info' && answer!.status === 200) return
      const isForm = endpoint.methods.includes('POST')
      if (isForm) expect([303, 400, 401, 403, 413, 415]).toContain(answer!.status)
      else if (!isPassedOn(answer!)) expect([404, 405]).toContain(answer!.status)
    })

    it.each(Object.keys(BAD_VALUES))(
      `the endpoint "${name}" survives a parameter that is %s`,
      async (kind) => {
        const endpoint = endpointOf(name)
        for (const method of endpoint.methods) {
          for (const parameter of [
            ...Object.keys(endpoint.parameters),
            'other',
            '__proto__',
            'constructor',
          ]) {
            const { [parameter]: _replaced, ...others } = endpoint.parameters
            const encoded = `${encode(others)}&${parameter}=${BAD_VALUES[kind]}`
            await sendInTurn(endpoint, requestWith(method, encoded))
          }
        }
      },
    )

    it(`the endpoint "${name}" survives parameters that are repeated, lists or objects`, async () => {
      const endpoint = endpointOf(name)
      for (const method of endpoint.methods) {
        for (const [parameter, value] of Object.entries(endpoint.parameters)) {
          const { [parameter]: _replaced, ...others } = endpoint.parameters
          for (const repeated of [
            `${parameter}=${encodeURIComponent(value)}&${parameter}=${encodeURIComponent(value)}`,
            `${parameter}=${encodeURIComponent(value)}&${parameter}=other`,
            `${parameter}[]=a&${parameter}[]=b`,
            `${parameter}[__proto__][x]=a`,
          ]) {
            await sendInTurn(endpoint, requestWith(method, `${encode(others)}&${repeated}`))
          }
        }
      }
    })

    it(`the endpoint "${name}" survives a request without parameters`, async () => {
      const endpoint = endpointOf(name)
      for (const method of endpoint.methods) await sendAs(endpoint, requestWith(method, ''))
    })

    it(`the endpoint "${name}" rejects methods that it does not support`, async () => {
      const endpoint = endpointOf(name)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        if (endpoint.methods.includes(method)) continue
        const [answer] = await sendAs(endpoint, requestWith(method, encode(endpoint.parameters)))
        if (isPassedOn(answer!)) continue
        expect([404, 405], method).toContain(answer!.status)
        if (answer!.status === 405) expect(answer!.headers.get('allow')).not.toContain(method)
      }
    })

    it(`the endpoint "${name}" survives invalid credentials and cookies`, async () => {
      const endpoint = endpointOf(name)
      const headers = [
        { authorization: 'Basic' },
        { authorization: 'Basic !!!' },
        { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
        { authorization: `Basic ${Buffer.from('a%zz:b%').toString('base64')}` },
        { authorization: `Basic ${Buffer.from('a\0:b\0').toString('base64')}` },
        { authorization: 'Bearer' },
        { authorization: 'Bearer a b' },
        { authorization: 'Bearer ..' },
        { authorization: `Bearer ${'x'.repeat(10_000)}` },
        { authorization: 'Nonsense __proto__' },
        { cookie: 'gatehouse_session=x; gatehouse_interaction=__proto__; gatehouse_resume=%00' },
        { cookie: `gatehouse_session=${'x'.repeat(8000)}; gatehouse_session.sig=x` },
        { 'accept-language': 'a-'.repeat(4000), origin: 'null' },
        { 'x-forwarded-for': '__proto__', dpop: 'x', 'content-encoding': 'br' },
      ]
      for (const method of endpoint.methods) {
        for (const one of headers) {
          const raw = requestWith(method, encode(endpoint.parameters))
          await sendAs(endpoint, { ...raw, headers: { ...raw.headers, ...one } })
        }
      }
    })
  })

  it('invalid input causes no reported failure and changes no prototype', () => {
    expect(failures).toEqual([])
    expect(host.errors).toEqual([])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

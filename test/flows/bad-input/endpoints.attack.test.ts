import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'
import { json, send, type RawAnswer, type RawRequest } from '../../support/raw-request.ts'
import { BAD_BODIES, BAD_HEADERS, BAD_VALUES } from './bad-values.ts'
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

  /** What the requests to one endpoint found. */
  let wrong: string[] = []
  beforeEach(() => void (wrong = []))

  /** Runs checks of an answer. A failed check is noted, so that the test reports all of them. */
  function check(what: string, checks: () => void): void {
    try {
      checks()
    } catch (error) {
      wrong.push(`${what}: ${String(error).slice(0, 500)}`)
    }
  }

  /** Sends a request as a program and as a browser, and checks the rules for every response. */
  async function sendAs(endpoint: Endpoint, raw: Sent, accepts: readonly string[] = ACCEPTS) {
    const { query = '', ...rest } = raw
    const target = `${new URL(host.issuer).pathname}${endpoint.path}${query && `?${query}`}`
    const answers: RawAnswer[] = []
    for (const accept of accepts) {
      const headers = { accept, ...endpoint.headers, ...raw.headers }
      const answer = await send(host.port, { ...rest, target, headers })
      const what = `${raw.method} ${target.slice(0, 200)} ${String(raw.body ?? '').slice(0, 100)}`
      check(what, () => checkAnswer(endpoint, answer, accept.startsWith('text/html')))
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

  async function sendBodies(endpoint: Endpoint) {
    for (const [kind, bad] of Object.entries(BAD_BODIES)) {
      const [answer] = await sendAs(endpoint, { method: 'POST', ...bad })
      // User info takes the token from the header, so it may ignore the body.
      if (isPassedOn(answer!) || (endpoint.name === 'user info' && answer!.status === 200)) continue
      const isForm = endpoint.methods.includes('POST')
      check(`a body that is ${kind}`, () =>
        expect(isForm ? [303, 400, 401, 403, 413, 415] : [404, 405]).toContain(answer!.status),
      )
    }
  }

  async function sendParameters(endpoint: Endpoint, method: string) {
    await sendAs(endpoint, requestWith(method, ''))
    const names = [...Object.keys(endpoint.parameters), 'other', '__proto__', 'constructor']
    for (const [position, name] of names.entries()) {
      const { [name]: value, ...others } = endpoint.parameters
      const known = value === undefined ? [] : [`=${encodeURIComponent(value)}`]
      const changed = [
        // Every endpoint gets every value, each in half of its parameters.
        ...Object.values(BAD_VALUES).flatMap((bad, index) =>
          (index + position) % 2 === 0 ? `${name}=${bad}` : [],
        ),
        // Parameters that are repeated, lists or objects.
        ...known.flatMap((own) => [
          `${name}${own}&${name}${own}`,
          `${name}${own}&${name}=other`,
          `${name}[]=a&${name}[]=b`,
          `${name}[__proto__][x]=a`,
        ]),
      ]
      for (const each of changed) await sendInTurn(endpoint, requestWith(method, `${encode(others)}&${each}`))
    }
  }

  async function sendMethods(endpoint: Endpoint) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      if (endpoint.methods.includes(method)) continue
      const [answer] = await sendAs(endpoint, requestWith(method, encode(endpoint.parameters)))
      if (isPassedOn(answer!)) continue
      check(method, () => {
        expect([404, 405]).toContain(answer!.status)
        if (answer!.status === 405) expect(answer!.headers.get('allow')).not.toContain(method)
      })
    }
  }

  it.each(NAMES)('the endpoint "%s" survives every invalid input', async (name) => {
    const endpoint = endpointOf(name)
    const [method = 'GET'] = endpoint.methods
    const [answer] = await sendAs(endpoint, requestWith(method, encode(endpoint.parameters)))
    expect(answer!.status, answer!.text).toBe(endpoint.status)
    await sendBodies(endpoint)
    await sendMethods(endpoint)
    for (const each of endpoint.methods) {
      await sendParameters(endpoint, each)
      const raw = requestWith(each, encode(endpoint.parameters))
      for (const one of BAD_HEADERS)
        await sendInTurn(endpoint, { ...raw, headers: { ...raw.headers, ...one } })
    }
    expect(wrong).toEqual([])
  })

  it('invalid input causes no reported failure and changes no prototype', () => {
    expect(failures).toEqual([])
    expect(host.errors).toEqual([])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

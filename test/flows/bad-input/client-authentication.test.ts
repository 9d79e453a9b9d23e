import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { json, send, type RawAnswer } from '../../support/raw-request.ts'

type Client = { client_id: string; client_secret: string }

const WRONG = `gatehouse_${'A'.repeat(43)}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const basic = ({ client_id, client_secret }: Client) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString('base64')}`,
})

describe('Client authentication', () => {
  let host: Host
  let key: Client
  let application: Client
  let disabled: Client
  let deleted: Client
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    key = await host.createApiKey()
    application = await host.createApplication()
    disabled = await host.createApiKey()
    await host.gatehouse.apiKeys.disable(disabled.client_id)
    deleted = await host.createApplication()
    await host.gatehouse.applications.delete(deleted.client_id)
  })
  afterAll(() => host.close())

  const token = (parameters: Record<string, string> | string, headers: Record<string, string> = {}) =>
    send(host.port, {
      method: 'POST',
      target: '/auth/oauth2/token',
      headers: { ...FORM, ...headers },
      body: typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString(),
    })
  const grant = { grant_type: 'client_credentials' }

  /** All of an answer but what differs between any two. */
  const whole = ({ status, headers, text }: RawAnswer) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => name !== 'date'),
  })

  describe('an unknown client, a disabled or deleted one and a wrong secret cannot be told apart', () => {
    const requests: Record<string, (client: Client, origin?: object) => Promise<RawAnswer>> = {
      'secret in the body': (client) => token({ ...client, ...grant }),
      'secret in the Basic header': (client) => token(grant, basic(client)),
      'no secret at all': ({ client_id }) => token({ client_id, ...grant }),
      'an empty secret': ({ client_id }) => token({ client_id, client_secret: '', ...grant }),
      'a code': (client) => token({ ...client, grant_type: 'authorization_code', code: 'x' }),
      'a refresh token': (client) => token({ ...client, grant_type: 'refresh_token', refresh_token: 'x' }),
      'an unknown grant type': (client) => token({ ...client, grant_type: 'unknown' }),
      'no grant type': (client) => token({ ...client }),
      'from a browser': (client) => token({ ...client, ...grant }, { origin: 'https://shop.example' }),
      'from a browser, in the header': (client) => token(grant, { ...basic(client), origin: 'null' }),
      'as a page': (client) => token({ ...client, ...grant }, { accept: 'text/html' }),
    }
    it.each(Object.keys(requests))('%s', async (name) => {
      const ask = requests[name]!
      const wrong = await ask({ client_id: key.client_id, client_secret: WRONG })
      expect([400, 401]).toContain(wrong.status)
      const others = [
        { client_id: 'key_AAAAAAAAAAAAAAAAAAAAAA', client_secret: WRONG },
        { client_id: application.client_id, client_secret: WRONG },
        { client_id: 'nobody@example.com', client_secret: key.client_secret },
        { client_id: '__proto__', client_secret: WRONG },
        { client_id: 'constructor', client_secret: WRONG },
        { client_id: 'a\0b', client_secret: WRONG },
        disabled,
        deleted,
      ]
      for (const other of others) {
        // A control character is not even a form of a client id that the Basic header may have.
        if (other.client_id.includes('\0') && name.includes('header')) continue
        expect(whole(await ask(other)), other.client_id).toEqual(whole(wrong))
      }
    })

    it('roughly by time either', async () => {
      const samples: Record<'unknown' | 'wrong', number[]> = { unknown: [], wrong: [] }
      const ask = async (client_id: string) => {
        const start = performance.now()
        await token({ client_id, client_secret: WRONG, ...grant })
        return performance.now() - start
      }
      for (let round = 0; round < 120; round += 1) {
        samples.unknown.push(await ask('key_AAAAAAAAAAAAAAAAAAAAAA'))
        samples.wrong.push(await ask(key.client_id))
      }
      const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
      const ratio = median(samples.wrong) / median(samples.unknown)
      expect(ratio).toBeGreaterThan(1 / 3)
      expect(ratio).toBeLessThan(3)
    })

    it('on the page of the authorization endpoint, unknown, disabled and of an API key', async () => {
      const shut = await host.createApplication()
      await host.gatehouse.applications.disable(shut.client_id)
      const answers = await Promise.all(
        ['app_AAAAAAAAAAAAAAAAAAAAAA', shut.client_id, key.client_id, disabled.client_id].map((id) =>
          host.browser().open(authorizationUrl(host, id)),
        ),
      )
      const [unknown] = answers
      expect(unknown!.status).toBe(400)
      for (const advice of ['check the client_id', 'enable the application', 'instead of an API key']) {
        expect(unknown!.body).toContain(advice)
      }
      for (const { status, body } of answers)
        expect({ status, body }).toEqual({ status: 400, body: unknown!.body })
    })

    it.each([
      ['authorize', 'response_type=code&redirect_uri=http://localhost:9/callback'],
      ['authorize', 'response_type=token&redirect_uri=http://localhost:9/callback&state=x'],
      ['authorize', ''],
      ['authorize', 'request=x'],
      ['logout', ''],
      ['logout', 'post_logout_redirect_uri=http://localhost:9/callback&state=x'],
      ['logout/success', ''],
    ])('by a program at %s?%s, unknown, disabled and of an API key', async (endpoint, query) => {
      const shut = await host.createApplication({ postLogoutRedirectUris: ['http://localhost:9/callback'] })
      await host.gatehouse.applications.disable(shut.client_id)
      const ask = (clientId: string) =>
        send(host.port, { target: `/auth/oauth2/${endpoint}?client_id=${clientId}&${query}` })
      const unknown = await ask('app_AAAAAAAAAAAAAAAAAAAAAA')
      expect(unknown.status).toBe(400)
      for (const id of [shut.client_id, key.client_id, disabled.client_id, deleted.client_id]) {
        expect(whole(await ask(id))).toEqual(whole(unknown))
      }
    })
  })

  it.each<[string, () => Promise<RawAnswer>, number, string]>([
    ['a wrong secret', () => token({ ...key, client_secret: WRONG, ...grant }), 401, 'invalid_client'],
    [
      'an unknown client',
      () => token({ client_id: 'x', client_secret: WRONG, ...grant }),
      401,
      'invalid_client',
    ],
    ['no secret', () => token({ client_id: key.client_id, ...grant }), 401, 'invalid_client'],
    ['no client at all', () => token(grant), 401, 'invalid_client'],
    [
      'a secret without a client',
      () => token({ client_secret: key.client_secret, ...grant }),
      400,
      'invalid_request',
    ],
    ['Basic and body', () => token({ ...key, ...grant }, basic(key)), 400, 'invalid_request'],
    [
      'Basic of one client, client_id of another',
      () => token({ client_id: application.client_id, ...grant }, basic(key)),
      400,
      'invalid_request',
    ],
    [
      'a scheme that is not Basic',
      () => token(grant, { authorization: `Bearer ${key.client_secret}` }),
      400,
      'invalid_request',
    ],
    [
      'Basic without a colon',
      () => token(grant, { authorization: `Basic ${Buffer.from(key.client_secret).toString('base64')}` }),
      400,
      'invalid_request',
    ],
    [
      'Basic that is not base64',
      () => token(grant, { authorization: `Basic ${key.client_secret}?` }),
      400,
      'invalid_request',
    ],
    [
      'client_id twice',
      () =>
        token(
          `client_id=${key.client_id}&client_id=${key.client_id}&client_secret=${key.client_secret}&grant_type=client_credentials`,
        ),
      400,
      'invalid_request',
    ],
    [
      'client_secret twice',
      () =>
        token(
          `client_id=${key.client_id}&client_secret=${key.client_secret}&client_secret=x&grant_type=client_credentials`,
        ),
      400,
      'invalid_request',
    ],
    [
      'grant_type twice',
      () =>
        token(
          `client_id=${key.client_id}&client_secret=${key.client_secret}&grant_type=client_credentials&grant_type=client_credentials`,
        ),
      400,
      'invalid_request',
    ],
    [
      'scope twice',
      () =>
        token(
          `client_id=${key.client_id}&client_secret=${key.client_secret}&grant_type=client_credentials&scope=invoices:read&scope=payments:list`,
        ),
      400,
      'invalid_request',
    ],
    ['an unknown grant type', () => token({ ...key, grant_type: 'unknown' }), 400, 'unsupported_grant_type'],
    [
      'a grant type of Object.prototype',
      () => token({ ...key, grant_type: 'constructor' }),
      400,
      'unsupported_grant_type',
    ],
    [
      'the password grant',
      () => token({ ...key, grant_type: 'password', username: 'alice', password: 'correct' }),
      400,
      'unsupported_grant_type',
    ],
    ['the implicit grant', () => token({ ...key, grant_type: 'implicit' }), 400, 'unsupported_grant_type'],
    [
      'the device grant',
      () => token({ ...key, grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' }),
      400,
      'unsupported_grant_type',
    ],
    [
      'a token exchange',
      () => token({ ...key, grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' }),
      400,
      'unsupported_grant_type',
    ],
    ['no grant type', () => token({ ...key }), 400, 'invalid_request'],
    [
      'a grant of applications by an API key',
      () => token({ ...key, grant_type: 'authorization_code', code: 'x' }),
      400,
      'unauthorized_client',
    ],
    [
      'a grant of API keys by an application',
      () => token({ ...application, ...grant }),
      400,
      'unauthorized_client',
    ],
    ['no code', () => token({ ...application, grant_type: 'authorization_code' }), 400, 'invalid_request'],
    [
      'an unknown code',
      () => token({ ...application, grant_type: 'authorization_code', code: 'x' }),
      400,
      'invalid_grant',
    ],
    [
      'no refresh token',
      () => token({ ...application, grant_type: 'refresh_token' }),
      400,
      'invalid_request',
    ],
    [
      'an unknown refresh token',
      () => token({ ...application, grant_type: 'refresh_token', refresh_token: 'x' }),
      400,
      'invalid_grant',
    ],
    [
      'a scope with characters that none has',
      () => token({ ...key, ...grant, scope: 'a"b' }),
      400,
      'invalid_scope',
    ],
    [
      'a foreign resource',
      () => token({ ...key, ...grant, resource: 'https://evil.example/' }),
      400,
      'invalid_target',
    ],
    [
      'a browser',
      () => token({ ...key, ...grant }, { origin: 'https://shop.example' }),
      400,
      'invalid_request',
    ],
  ])('%s is rejected with the error of the RFC', async (_name, ask, status, error) => {
    const answer = await ask()
    expect([answer.status, json(answer)['error']]).toEqual([status, error])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(key.client_secret)
    expect(json(answer)).not.toHaveProperty('access_token')
    // RFC 6749 5.2: who used the header is told the scheme.
  })

  it('whoever used the Basic header is told the scheme', async () => {
    const answer = await token(grant, basic({ ...key, client_secret: WRONG }))
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
  })

  it('clients without a secret, such as browsers and mobile apps, read why they are rejected', async () => {
    const publicClient = await token({
      client_id: application.client_id,
      grant_type: 'authorization_code',
      code: 'x',
      code_verifier: 'v'.repeat(43),
    })
    expect(json(publicClient)['error_description']).toMatch(
      /client_secret is missing.*browsers and mobile apps/,
    )
    const browser = await token({ ...application, ...grant }, { origin: 'https://shop.example' })
    expect(json(browser)['error_description']).toMatch(/browser.*client_secret must stay on a server/)
    // A developer reads it in the console of the browser, so the browser has to show it to the page.
    expect(browser.headers.get('access-control-allow-origin')).toBe('*')
    expect(browser.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

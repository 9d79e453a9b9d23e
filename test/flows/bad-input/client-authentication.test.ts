import { fromManyAddresses } from '../../support/from-many-addresses.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/host-requests.ts'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { json, send, type RawAnswer } from '../../support/raw-request.ts'

const WRONG = `gatehouse_${'A'.repeat(43)}`
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
/** The Basic header of a client. The client id and the secret are percent-encoded (RFC 6749 2.3.1). */
const basic = ({ client_id, client_secret }: Client) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString('base64')}`,
})

describe('client authentication', () => {
  let host: Host
  let key: Client
  let application: Client
  let disabled: Client
  let deleted: Client
  beforeAll(async () => {
    host = await startHost({ above: [fromManyAddresses()] })
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

  /** A response without its date, and without the random values of its cookies. */
  const whole = ({ status, headers, text }: RawAnswer) => ({
    status,
    text,
    headers: [...headers]
      .filter(([name]) => name !== 'date')
      .map(([name, value]) => [
        name,
        name === 'set-cookie' ? value.replace(/=[^;]*|expires=[^;]*/g, '=') : value,
      ]),
  })

  describe('unknown, disabled and deleted clients and wrong secrets', () => {
    const requests: Record<string, (client: Client, origin?: object) => Promise<RawAnswer>> = {
      'secret in the body': (client) => token({ ...client, ...grant }),
      'secret in the Basic header': (client) => token(grant, basic(client)),
      'no secret at all': ({ client_id }) => token({ client_id, ...grant }),
      'an empty secret': ({ client_id }) => token({ client_id, client_secret: '', ...grant }),
      'a code': (client) => token({ ...client, grant_type: 'authorization_code', code: 'x' }),
      'a refresh token': (client) => token({ ...client, grant_type: 'refresh_token', refresh_token: 'x' }),
      'an unknown grant type': (client) => token({ ...client, grant_type: 'unknown' }),
      'no grant type': (client) => token({ ...client }),
      'request of a browser': (client) => token({ ...client, ...grant }, { origin: 'https://shop.example' }),
      'request of a browser with the secret in the Basic header': (client) =>
        token(grant, { ...basic(client), origin: 'null' }),
      'request that accepts only HTML': (client) => token({ ...client, ...grant }, { accept: 'text/html' }),
    }
    it('unknown, disabled and deleted clients and wrong secrets get the same response', async () => {
      for (const [name, ask] of Object.entries(requests)) {
        const wrong = await ask({ client_id: key.client_id, client_secret: WRONG })
        expect([400, 401]).toContain(wrong.status)
        const others = [
          { client_id: 'key_AAAAAAAAAAAAAAAAAAAAAA', client_secret: WRONG },
          { client_id: application.client_id, client_secret: WRONG },
          { client_id: 'unknown@example.com', client_secret: key.client_secret },
          { client_id: '__proto__', client_secret: WRONG },
          { client_id: 'constructor', client_secret: WRONG },
          { client_id: 'a\0b', client_secret: WRONG },
          disabled,
          deleted,
        ]
        for (const other of others) {
          // The Basic header cannot contain a client id with a control character.
          if (other.client_id.includes('\0') && name.includes('header')) continue
          expect(whole(await ask(other)), `${name}: ${other.client_id}`).toEqual(whole(wrong))
        }
      }
    })

    it('a request of an unknown client takes about as long as a request with a wrong secret', async () => {
      const samples: Record<'unknown' | 'wrong', number[]> = { unknown: [], wrong: [] }
      const ask = async (client_id: string) => {
        // The CPU time, because the other programs of a busy machine use none of it.
        const start = process.cpuUsage()
        await token({ client_id, client_secret: WRONG, ...grant })
        const { user, system } = process.cpuUsage(start)
        return user + system
      }
      for (let round = 0; round < 60; round += 1) {
        samples.unknown.push(await ask('key_AAAAAAAAAAAAAAAAAAAAAA'))
        samples.wrong.push(await ask(key.client_id))
      }
      const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
      const ratio = median(samples.wrong) / median(samples.unknown)
      expect(ratio).toBeGreaterThan(1 / 3)
      expect(ratio).toBeLessThan(3)
    })

    it('the authorization endpoint shows the same page for unknown and disabled applications and API keys', async () => {
      const disabledApplication = await host.createApplication()
      await host.gatehouse.applications.disable(disabledApplication.client_id)
      const answers = await Promise.all(
        ['app_AAAAAAAAAAAAAAAAAAAAAA', disabledApplication.client_id, key.client_id, disabled.client_id].map(
          (id) => host.browser().open(authorizationUrl(host, id)),
        ),
      )
      const [unknown] = answers
      expect(unknown!.status).toBe(400)
      for (const advice of [
        'check the client_id',
        'enable the application',
        'An API key cannot be used here',
      ]) {
        expect(unknown!.body).toContain(advice)
      }
      for (const { status, body } of answers)
        expect({ status, body }).toEqual({ status: 400, body: unknown!.body })
    })

    it('a program gets the same response for unknown and disabled applications and API keys', async () => {
      const callback = 'http://localhost:9/callback'
      const offline = await host.createApplication({ postLogoutRedirectUris: [callback] })
      await host.gatehouse.applications.disable(offline.client_id)
      const ids = [offline, key, disabled, deleted].map(({ client_id }) => client_id)
      for (const [endpoint, query, status] of [
        ['authorize', `response_type=code&redirect_uri=${callback}`, 400],
        ['authorize', `response_type=token&redirect_uri=${callback}&state=x`, 400],
        ['authorize', '', 400],
        ['authorize', 'request=x', 400],
        ['logout', '', 200],
        ['logout', `post_logout_redirect_uri=${callback}&state=x`, 400],
        ['logout/success', '', 200],
      ] as const) {
        const ask = (clientId: string) =>
          send(host.port, { target: `/auth/oauth2/${endpoint}?client_id=${clientId}&${query}` })
        const unknown = await ask('app_AAAAAAAAAAAAAAAAAAAAAA')
        expect(unknown.status, endpoint).toBe(status)
        for (const id of ids) expect(whole(await ask(id)), `${endpoint} ${query}`).toEqual(whole(unknown))
      }
    })
  })

  it('every wrong request is rejected with the error of the RFC', async () => {
    const { client_id, client_secret } = key
    const wrong = { ...key, client_secret: WRONG, ...grant }
    const all = new URLSearchParams({ ...key, ...grant }).toString()
    const code = { ...application, grant_type: 'authorization_code' }
    const refresh = { ...application, grant_type: 'refresh_token' }
    const grantOf = (name: string) => ({ ...key, grant_type: name })
    const encoded = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    const requests: Record<string, Record<string, Parameters<typeof token>>> = {
      '401 invalid_client': {
        'a wrong secret': [wrong],
        'an unknown client': [{ ...wrong, client_id: 'x' }],
        'a client without a secret': [{ client_id, ...grant }],
        'a request without a client': [grant],
      },
      '400 invalid_request': {
        'a secret without a client': [{ client_secret, ...grant }],
        'a secret both in the header and in the body': [{ ...key, ...grant }, basic(key)],
        'a header of one client with the id of another': [
          { client_id: application.client_id, ...grant },
          basic(key),
        ],
        'a scheme other than Basic': [grant, { authorization: `Bearer ${client_secret}` }],
        'a Basic header without a colon': [grant, encoded(client_secret)],
        'a Basic header that is not base64': [grant, { authorization: `Basic ${client_secret}?` }],
        'a repeated client_id': [`${all}&client_id=${client_id}`],
        'a repeated client_secret': [`${all}&client_secret=x`],
        'a repeated grant_type': [`${all}&grant_type=client_credentials`],
        'a repeated scope': [`${all}&scope=invoices:read&scope=payments:list`],
        'no grant type': [{ ...key }],
        'an exchange without a code': [code],
        'a refresh without a refresh token': [refresh],
        'a request from a browser': [{ ...key, ...grant }, { origin: 'https://shop.example' }],
      },
      '400 unsupported_grant_type': {
        'an unknown grant type': [grantOf('unknown')],
        'a property of Object.prototype': [grantOf('constructor')],
        'the password grant': [{ ...grantOf('password'), username: 'alice', password: 'correct' }],
        'the implicit grant': [grantOf('implicit')],
        'the device grant': [grantOf('urn:ietf:params:oauth:grant-type:device_code')],
        'a token exchange': [grantOf('urn:ietf:params:oauth:grant-type:token-exchange')],
      },
      '400 unauthorized_client': {
        'a code from an API key': [{ ...grantOf('authorization_code'), code: 'x' }],
        'client credentials from an application': [{ ...application, ...grant }],
      },
      '400 invalid_grant': {
        'an unknown code': [{ ...code, code: 'x' }],
        'an unknown refresh token': [{ ...refresh, refresh_token: 'x' }],
      },
      '400 invalid_scope': { 'invalid characters': [{ ...key, ...grant, scope: 'a"b' }] },
      '400 invalid_target': {
        'an unknown resource': [{ ...key, ...grant, resource: 'https://evil.example/' }],
      },
    }
    const found: Record<string, Record<string, Parameters<typeof token>>> = {}
    for (const [what, request] of Object.values(requests).flatMap(Object.entries<Parameters<typeof token>>)) {
      const answer = await token(...request)
      const { error } = json(answer)
      ;(found[`${answer.status} ${String(error)}`] ??= {})[what] = request
      expect(answer.headers.get('content-type'), what).toMatch(/^application\/json/)
      expect(answer.headers.get('cache-control'), what).toBe('no-store')
      expect(answer.text + JSON.stringify([...answer.headers]), what).not.toContain(client_secret)
      expect(json(answer), what).not.toHaveProperty('access_token')
    }
    expect(found).toEqual(requests)
  })

  it('an Authorization header with an access token beside the secret is named, at every endpoint', async () => {
    for (const path of ['token', 'revoke', 'introspect']) {
      const { status, body } = await host.post(
        `/oauth2/${path}`,
        { ...key, ...grant, token: 'x' },
        { authorization: 'Bearer old.access.token' },
      )
      expect([path, status, body['error']]).toEqual([path, 400, 'invalid_request'])
      expect(body['error_description']).toMatch(/Authorization.*Bearer/)
    }
  })

  it('a secret with a line break gets 401 with the reason in the body and by HTTP Basic, for every client id, and the event names the reason', async () => {
    const rejected: object[] = []
    host.gatehouse.on('token.rejected', (event) => rejected.push(event))
    for (const { client_id } of [key, { client_id: 'key_unknown' }]) {
      const client_secret = `${key.client_secret}\n`
      const raw = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
      const ways = [
        await token({ ...grant, client_id, client_secret }),
        await token(grant, { authorization: `Basic ${raw}` }),
        await token(grant, basic({ client_id, client_secret })),
      ]
      for (const answer of ways) {
        expect([answer.status, json(answer)['error']]).toEqual([401, 'invalid_client'])
        expect(json(answer)['error_description']).toContain('client_secret has a line break')
      }
      const challenges = ways.map(({ headers }) => headers.get('www-authenticate'))
      expect(challenges).toEqual([null, `Basic realm="${host.issuer}"`, `Basic realm="${host.issuer}"`])
    }
    expect(rejected).toHaveLength(6)
    for (const event of rejected) {
      expect(event).toMatchObject({ description: expect.stringContaining('client_secret has a line break') })
    }
  })

  it('a rejected client that used the Basic header gets the scheme Basic in WWW-Authenticate (RFC 6749 5.2)', async () => {
    const answer = await token(grant, basic({ ...key, client_secret: WRONG }))
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
  })

  it('clients without a secret, such as browsers and mobile apps, get the reason for the rejection', async () => {
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
    // The developer reads the reason in the browser's console, so CORS must let the page read it.
    expect(browser.headers.get('access-control-allow-origin')).toBe('*')
    expect(browser.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'
import { basic } from '../../support/host-requests.ts'
import { connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

const WEB = 'https://spa.example.com/callback'
const ORIGIN = 'https://spa.example.com'
const LOCAL_ORIGIN = 'http://localhost:5173'
const OTHER_ORIGIN = 'https://other.example.com'
const FOREIGN = 'https://evil.example'
const ENDPOINTS = ['/oauth2/token', '/oauth2/revoke', '/oauth2/userinfo']

describeEachStore('pages at other origins (CORS)', (makeStore) => {
  let host: Host
  let client_id: string
  let other: string
  beforeAll(async () => {
    host = await startHost({ store: makeStore(), gatehouse: { publicApplications: true } })
    client_id = await createPublicApplication(host, { redirectUris: [WEB], origins: [LOCAL_ORIGIN] })
    other = await createPublicApplication(host, { redirectUris: [`${OTHER_ORIGIN}/callback`] })
  })
  afterAll(() => host.close())

  const preflight = (path: string, origin: string, method = 'POST') =>
    fetch(host.issuer + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    })
  const allowed = (headers: Headers) => headers.get('access-control-allow-origin')
  const connectWeb = () =>
    connectPublic(host, client_id, { redirect_uri: WEB, parameters: { scope: 'openid invoices:read' } })

  it('a preflight is answered for the origins of public applications, and allows nothing to others', async () => {
    for (const path of ENDPOINTS) {
      for (const origin of [ORIGIN, LOCAL_ORIGIN, OTHER_ORIGIN]) {
        const { status, headers } = await preflight(path, origin)
        expect([path, status, allowed(headers)]).toEqual([path, 204, origin])
        expect(headers.get('access-control-allow-methods')).toContain('POST')
        expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type')
        expect(headers.get('access-control-max-age')).toBe('3600')
        expect(headers.get('vary')).toMatch(/origin/i)
        expect(headers.get('access-control-allow-credentials')).toBeNull()
      }
      for (const origin of [
        FOREIGN,
        'null',
        'http://localhost:5174',
        'http://spa.example.com',
        'https://spa.example.com.evil.example',
        'https://spa.example',
      ])
        expect([path, origin, allowed((await preflight(path, origin)).headers)]).toEqual([path, origin, null])
    }
  })

  it('a preflight of introspection and of the authorization endpoint allows nothing', async () => {
    for (const path of ['/oauth2/introspect', '/oauth2/authorize']) {
      expect(allowed((await preflight(path, ORIGIN)).headers)).toBeNull()
    }
  })

  it('a page of the application refreshes and revokes, and may read the answers and the errors', async () => {
    const { refresh_token, access_token } = await connectWeb()
    for (const origin of [ORIGIN, LOCAL_ORIGIN]) {
      const refreshed = await host.token(
        { client_id, grant_type: 'refresh_token', refresh_token },
        { origin },
      )
      expect([refreshed.status, allowed(refreshed.headers)]).toEqual([200, origin])
      expect(refreshed.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
      expect(refreshed.headers.get('vary')).toMatch(/origin/i)
    }
    const wrong = await host.token(
      { client_id, grant_type: 'refresh_token', refresh_token: 'x' },
      { origin: ORIGIN },
    )
    expect([wrong.status, wrong.body['error'], allowed(wrong.headers)]).toEqual([
      400,
      'invalid_grant',
      ORIGIN,
    ])
    const revoked = await host.post('/oauth2/revoke', { client_id, token: access_token }, { origin: ORIGIN })
    expect([revoked.status, allowed(revoked.headers)]).toEqual([200, ORIGIN])
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(401)
  })

  it('a request from another origin is rejected, and uses nothing up', async () => {
    const { refresh_token, access_token } = await connectWeb()
    const form = { client_id, grant_type: 'refresh_token', refresh_token }
    for (const origin of [FOREIGN, OTHER_ORIGIN, 'null']) {
      const answer = await host.token(form, { origin })
      expect([origin, answer.status, answer.body['error']]).toEqual([origin, 400, 'invalid_request'])
      expect(answer.text).not.toContain('access_token')
      const revocation = await host.post('/oauth2/revoke', { client_id, token: access_token }, { origin })
      expect([origin, revocation.status]).toEqual([origin, 400])
    }
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(200)
    expect((await host.token(form)).status).toBe(200)
  })

  it('a page cannot find out which clients exist: all others get the same answer', async () => {
    const confidential = await host.createApplication()
    const ids = [confidential.client_id, 'app_unknown', '', other]
    const answers = await Promise.all(
      ids.map((id) =>
        host.token({ client_id: id, grant_type: 'refresh_token', refresh_token: 'x' }, { origin: ORIGIN }),
      ),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(400)
  })

  it('a page cannot use the secret of a confidential application', async () => {
    const { client_secret, ...confidential } = await host.createApplication()
    const answer = await host.token(
      { ...confidential, client_secret, grant_type: 'authorization_code', code: 'x' },
      { origin: ORIGIN },
    )
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
  })

  it('a page that sends a secret is told that the secret must stay on a server, for every client id', async () => {
    const key = await host.createApiKey()
    const grant = { grant_type: 'client_credentials' }
    for (const client_id of [key.client_id, 'key_unknown']) {
      const { client_secret } = key
      for (const answer of [
        await host.token({ ...grant, client_id, client_secret }, { origin: ORIGIN }),
        await host.token(grant, { ...basic({ client_id, client_secret }), origin: ORIGIN }),
      ]) {
        expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
        expect(answer.body['error_description']).toContain('client_secret must stay on a server')
      }
    }
    // HTTP Basic with an empty secret names the public application.
    const header = { ...basic({ client_id, client_secret: '' }) }
    const refresh = { grant_type: 'refresh_token', refresh_token: 'x' }
    expect((await host.token(refresh, { ...header, origin: ORIGIN })).body['error']).toBe('invalid_grant')
    expect((await host.token(refresh, { ...header, origin: FOREIGN })).status).toBe(400)
    expect((await host.token(refresh, { ...header, origin: FOREIGN })).body['error']).toBe('invalid_request')
  })

  it('user info is held to the origins of the application that got the token', async () => {
    const { access_token } = await connectWeb()
    const ask = async (origin: string, token = access_token) => {
      const headers = { origin, authorization: `Bearer ${token}` }
      const response = await fetch(`${host.issuer}/oauth2/userinfo`, { headers })
      return [
        response.status,
        allowed(response.headers),
        response.headers.get('vary')?.toLowerCase().includes('origin'),
      ]
    }
    expect(await ask(ORIGIN)).toEqual([200, ORIGIN, true])
    expect(await ask(LOCAL_ORIGIN)).toEqual([200, LOCAL_ORIGIN, true])
    expect(await ask(OTHER_ORIGIN)).toEqual([400, null, true])
    expect(await ask(FOREIGN)).toEqual([400, null, true])
    // The page reads that its token is not valid any more.
    expect(await ask(ORIGIN, 'x')).toEqual([401, ORIGIN, true])
    expect(await ask(FOREIGN, 'x')).toEqual([401, null, true])
  })

  it('a form with more than 1000 parameters is rejected, because two parsers could read it differently', async () => {
    const { client_id: id, client_secret } = await host.createApiKey()
    const headers = { origin: ORIGIN, authorization: `Basic ${btoa(`${id}:${client_secret}`)}` }
    const filler = Array.from({ length: 1000 }, () => ['a', ''] as [string, string])
    const answer = await host.post(
      '/oauth2/token',
      [['grant_type', 'client_credentials'], ...filler, ['client_id', client_id]],
      headers,
    )
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
  })

  it('a page may read that too many requests are in flight, and when to try again', async () => {
    let release = (): void => {}
    const promise = new Promise<void>((resolve) => (release = resolve))
    let isSlow = false
    const held = makeStore()
    const store = new Proxy(held, {
      get(target, name: keyof typeof held) {
        const member = target[name]
        if (typeof member !== 'function') return member
        return async (...args: never[]) => {
          if (isSlow && name === 'get') await promise
          return (member as (...all: never[]) => unknown).apply(target, args)
        }
      },
    })
    const own = await startHost({
      store,
      gatehouse: { publicApplications: true, maxTokenRequests: 4 },
    })
    const id = await createPublicApplication(own, { redirectUris: [WEB] })
    const form = {
      client_id: id,
      grant_type: 'refresh_token',
      refresh_token: `${'g'.repeat(43)}.0.${'r'.repeat(43)}.${'m'.repeat(22)}`,
    }
    // The client is cached then.
    await own.token(form, { origin: ORIGIN })
    isSlow = true
    const answers = Array.from({ length: 10 }, () => own.token(form, { origin: ORIGIN }))
    const first = await Promise.race(answers)
    release()
    await Promise.all(answers)
    expect([first.status, allowed(first.headers), first.headers.get('retry-after')]).toEqual([503, '*', '2'])
    expect(first.headers.get('access-control-expose-headers')).toBe('Retry-After')
    expect(first.headers.get('vary')).toMatch(/origin/i)
    await own.close()
  })

  it('the host may answer with its own CORS headers, which stay as they are', async () => {
    const own = await startHost({
      store: makeStore(),
      gatehouse: { publicApplications: true },
      above: [
        async (ctx, next) => {
          ctx.set('Access-Control-Allow-Origin', 'https://host.example')
          await next()
        },
      ],
    })
    const id = await createPublicApplication(own, { redirectUris: [WEB] })
    const answer = await own.token(
      { client_id: id, grant_type: 'refresh_token', refresh_token: 'x' },
      { origin: ORIGIN },
    )
    expect(allowed(answer.headers)).toBe('https://host.example')
    await own.close()
  })

  it('a change of the origins, and the deletion of the application, take effect at once', async () => {
    const { applications } = host.gatehouse
    const id = await createPublicApplication(host, { redirectUris: ['https://first.example/cb'] })
    const isAnswered = async (origin: string) =>
      allowed((await preflight('/oauth2/token', origin)).headers) !== null
    await applications.update(id, {
      redirectUris: ['https://second.example/cb'],
      origins: ['capacitor://localhost'],
    })
    expect(await isAnswered('https://first.example')).toBe(false)
    expect(await isAnswered('https://second.example')).toBe(true)
    expect(await isAnswered('capacitor://localhost')).toBe(true)
    await applications.update(id, { origins: [] })
    expect(await isAnswered('capacitor://localhost')).toBe(false)
    await applications.delete(id)
    expect(await isAnswered('https://second.example')).toBe(false)
  })
})

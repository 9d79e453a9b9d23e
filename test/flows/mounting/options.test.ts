import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'

const PREFLIGHT = {
  origin: 'https://app.example',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization',
}
const CLOSED = {
  '/auth/oauth2/token': 'POST, OPTIONS',
  '/auth/oauth2/revoke': 'POST, OPTIONS',
  '/auth/oauth2/introspect': 'POST, OPTIONS',
  '/auth/oauth2/userinfo': 'GET, HEAD, POST, OPTIONS',
}
const DOCUMENTS = [
  '/auth/.well-known/openid-configuration',
  '/auth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/auth',
  '/.well-known/oauth-protected-resource/api',
  '/auth/oauth2/jwks',
]

describe('OPTIONS requests', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  const options = (path: string, headers = {}) => fetch(host.origin + path, { method: 'OPTIONS', headers })
  const corsHeaders = ({ headers }: Response) =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-'))

  it('a preflight at an endpoint that takes a secret or a token answers 204 without CORS headers', async () => {
    for (const [path, allow] of Object.entries(CLOSED)) {
      for (const headers of [PREFLIGHT, {}]) {
        const response = await options(path, headers)
        const found = [response.status, await response.text(), response.headers.get('allow')]
        expect([path, ...found]).toEqual([path, 204, '', allow])
        expect(corsHeaders(response)).toEqual([])
      }
    }
  })

  it('a preflight at a document answers 204 and allows every origin, and the document is readable for every origin', async () => {
    for (const path of DOCUMENTS) {
      for (const sent of [{ ...PREFLIGHT, 'access-control-request-method': 'GET' }, {}]) {
        const response = await options(path, sent)
        const found = [response.status, await response.text(), response.headers.get('allow')]
        expect([path, ...found]).toEqual([path, 204, '', 'GET, HEAD, OPTIONS'])
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
        expect(response.headers.get('access-control-allow-methods')).toBe('GET')
        expect(response.headers.get('access-control-allow-headers')).toBe('*')
      }
      const response = await fetch(host.origin + path, { headers: { origin: 'https://app.example' } })
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it('the authorization endpoint answers 405 to OPTIONS, and its Allow header does not name OPTIONS', async () => {
    const response = await options('/auth/oauth2/authorize', PREFLIGHT)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('responses of the token endpoint have no CORS headers', async () => {
    const key = await host.createApiKey()
    const token = await host.requestDirectToken(key)
    expect(token.status).toBe(200)
    expect([...token.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

it('CORS headers that the host has set stay on documents and on token responses', async () => {
  const origin = 'https://app.example'
  const host = await startHost({
    above: [
      async (ctx, next) => {
        ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' })
        await next()
      },
    ],
  })
  await host.gatehouse.ready()
  const key = await host.createApiKey()
  const token = await host.requestDirectToken(key)
  expect(token.headers.get('access-control-allow-origin')).toBe(origin)
  for (const path of DOCUMENTS) {
    const response = await fetch(host.origin + path)
    expect(response.headers.get('access-control-allow-origin'), path).toBe(origin)
  }
  await host.close()
})

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

  it.each(Object.entries(CLOSED))(
    'a preflight at %s answers 204, and its response has no CORS headers',
    async (path, allow) => {
      for (const headers of [PREFLIGHT, {}]) {
        const response = await options(path, headers)
        expect([response.status, await response.text()]).toEqual([204, ''])
        expect(response.headers.get('allow')).toBe(allow)
        expect(corsHeaders(response)).toEqual([])
      }
    },
  )

  it.each(DOCUMENTS)('a preflight at %s answers 204, and its response allows every origin', async (path) => {
    const headers = { ...PREFLIGHT, 'access-control-request-method': 'GET' }
    for (const sent of [headers, {}]) {
      const response = await options(path, sent)
      expect([response.status, await response.text()]).toEqual([204, ''])
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-methods')).toBe('GET')
      expect(response.headers.get('access-control-allow-headers')).toBe('*')
    }
  })

  it.each(DOCUMENTS)('the document at %s is readable for every origin', async (path) => {
    const response = await fetch(host.origin + path, { headers: { origin: 'https://app.example' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
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

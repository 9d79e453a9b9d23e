// Also runs on: Koa 2
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gatehouse } from 'koa-gatehouse'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'

const ISSUER = 'http://localhost:9/platform/auth'
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server/platform/auth'
const OPENID = '/.well-known/openid-configuration/platform/auth'
const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource/platform/api'
const PATHS = [AUTHORIZATION_SERVER, OPENID, PROTECTED_RESOURCE]

type Listener = ReturnType<NonNullable<HostOptions['serve']>>

const mounted = (path: string, what: unknown) => mount(path, what as never) as unknown as Middleware

function inKoa(use: (app: Koa, wellKnown: Middleware) => void) {
  return (_app: Koa, gatehouse: Gatehouse): Listener => {
    const app = new Koa()
    use(app, gatehouse.wellKnown())
    app.use((ctx) => void (ctx.body = 'page'))
    return app.callback()
  }
}

/** connect removes a prefix like Express, but does not name it in `request.baseUrl`. */
function inConnect(prefixes: readonly string[]) {
  return (_app: Koa, gatehouse: Gatehouse): Listener => {
    const wellKnown = new Koa().use(gatehouse.wellKnown()).callback()
    return async (request, response) => {
      const url = request.url ?? '/'
      const prefix = prefixes.find((each) => url.startsWith(each) && '/?'.includes(url[each.length] ?? '/'))
      if (prefix === undefined) {
        response.end('page')
        return
      }
      Object.assign(request, { originalUrl: url })
      request.url = url.slice(prefix.length).replace(/^(?!\/)/, '/')
      await wellKnown(request, response)
    }
  }
}

const WAYS: Record<string, NonNullable<HostOptions['serve']>> = {
  'app.use(wellKnown) in Koa': inKoa((app, wellKnown) => app.use(wellKnown)),
  'koa-mount at /.well-known': inKoa((app, wellKnown) => app.use(mounted('/.well-known', wellKnown))),
  'koa-mount at the full paths': inKoa((app, wellKnown) => {
    for (const path of PATHS) app.use(mounted(path, wellKnown))
  }),
  "use('/.well-known', wellKnown) in connect": inConnect(['/.well-known']),
  'use(path, wellKnown) in connect': inConnect(PATHS),
}

describe.each(Object.entries(WAYS))('wellKnown() mounted by %s', (_name, serve) => {
  let host: Host
  beforeAll(async () => {
    const gatehouse = { issuer: ISSUER, audience: 'http://localhost:9/platform/api' }
    host = await startHost({ serve, gatehouse, mount: () => {} })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  const ask = (target: string, method = 'GET', headers: Record<string, string> = {}) =>
    send(host.port, { target, method, headers })

  it.each(PATHS)('%s is answered, also with a slash at its end and with a query', async (path) => {
    for (const target of [path, `${path}/`, `${path}?x=1`]) {
      const { status, text } = await ask(target)
      expect([target, status]).toEqual([target, 200])
      expect(JSON.parse(text)).toMatchObject(
        path === PROTECTED_RESOURCE
          ? { resource: 'http://localhost:9/platform/api', authorization_servers: [ISSUER] }
          : { issuer: ISSUER, token_endpoint: `${ISSUER}/oauth2/token` },
      )
    }
  })

  it.each(PATHS)('other methods get 405 with Allow at %s', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers, text } = await ask(path, method, { 'content-length': '0' })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS'])
      expect(JSON.parse(text)).toMatchObject({ error: 'invalid_request' })
    }
  })

  it('other addresses are left to the host', async () => {
    for (const path of ['/', '/about', '/x/.well-known/openid-configuration/platform/auth'])
      expect([path, (await ask(path)).text]).toEqual([path, 'page'])
  })
})

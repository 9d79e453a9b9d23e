import express from 'express'
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import type { Gatehouse } from '../../src/index.ts'
import { startHost, type HostOptions } from '../support/host.ts'
import { send } from '../support/raw-request.ts'

const ISSUER = 'http://localhost:9/platform/auth'
const PATHS = [
  '/.well-known/oauth-authorization-server/platform/auth',
  '/.well-known/openid-configuration/platform/auth',
  '/.well-known/oauth-protected-resource/platform/api',
]

type Listener = ReturnType<NonNullable<HostOptions['serve']>>

/** An Express app. NestJS runs on one too, and mounts with the same functions. */
function inExpress(use: (app: express.Express, wellKnown: Listener) => void) {
  return (_app: Koa, gatehouse: Gatehouse): Listener => {
    const app = express()
    use(app, new Koa().use(gatehouse.wellKnown()).callback())
    app.use((_request, response) => void response.send('page'))
    return app as unknown as Listener
  }
}

const WAYS: Record<string, NonNullable<HostOptions['serve']>> = {
  'app.all(path, wellKnown) in Express': inExpress((app, wellKnown) => {
    for (const path of PATHS) app.all(path, wellKnown)
  }),
  "app.use('/.well-known', wellKnown) in Express": inExpress((app, wellKnown) =>
    app.use('/.well-known', wellKnown),
  ),
  'app.use(path, wellKnown) in Express': inExpress((app, wellKnown) => {
    for (const path of PATHS) app.use(path, wellKnown)
  }),
  'a router inside a router in Express': inExpress((app, wellKnown) => {
    const router = express.Router()
    for (const path of PATHS) router.use(path.replace('/.well-known', ''), wellKnown)
    app.use('/.well-known', router)
  }),
}

describe.each(Object.entries(WAYS))('wellKnown() mounted by %s', (_name, serve) => {
  it('each document is answered, other methods get 405, and other addresses are left to the host', async () => {
    const gatehouse = { issuer: ISSUER, audience: 'http://localhost:9/platform/api' }
    const host = await startHost({ serve, gatehouse, mount: () => {} })
    await host.gatehouse.ready()
    const ask = (target: string, method = 'GET', headers = {}) => send(host.port, { target, method, headers })
    for (const path of PATHS) {
      for (const target of [path, `${path}/`, `${path}?x=1`]) {
        const { status, text } = await ask(target)
        expect([target, status]).toEqual([target, 200])
        expect(text).toContain(ISSUER)
      }
      const { status, headers } = await ask(path, 'POST', { 'content-length': '0' })
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD, OPTIONS'])
    }
    for (const path of ['/', '/about', '/x/.well-known/openid-configuration/platform/auth'])
      expect([path, (await ask(path)).text]).toEqual([path, 'page'])
    await host.close()
  })
})

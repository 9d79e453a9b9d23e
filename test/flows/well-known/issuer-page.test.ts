import type { AddressInfo } from 'node:net'
import Koa, { type Middleware } from 'koa'
import { afterEach, expect, it } from 'vitest'
import { startHost } from '../../support/host.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const open: (() => unknown)[] = []
afterEach(() => Promise.all(open.splice(0).map((close) => close())))

/** Serves gatehouse, and behind it the routes of a host. Returns a function that requests a path. */
async function serve(...routes: Middleware[]) {
  const host = await startHost()
  const app = new Koa()
  app.use(host.gatehouse.middleware())
  for (const route of routes) app.use(route)
  const server = app.listen(0)
  open.push(() => server.close(), host.close)
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`

  async function ask(path: string, accept = BROWSER, method = 'GET', language = 'en') {
    const headers = { accept, 'accept-language': language }
    const response = await fetch(origin + path, { method, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { ask, issuer: host.issuer }
}

it('a browser that opens the issuer reads what it is, and where the discovery document is', async () => {
  const { ask, issuer } = await serve()
  for (const path of ['/auth', '/auth/']) {
    const page = await ask(path)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('vary')).toMatch(/\bAccept\b/i)
    expect(page.text).toContain('Authorization server of')
    const [, discovery = ''] = /href="([^"]*openid-configuration)"/.exec(page.text) ?? []
    expect(await (await fetch(discovery)).json()).toMatchObject({ issuer })
  }
  expect((await ask('/auth', BROWSER, 'GET', 'de')).text).toContain('Autorisierungsserver von')
  expect(await ask('/auth', BROWSER, 'HEAD')).toMatchObject({ status: 200, text: '' })
})

it('programs, forms and other paths below the issuer get the answer of the host', async () => {
  const { ask } = await serve()
  const unanswered = { status: 404, text: 'Not Found' }
  for (const accept of ['*/*', 'application/json', ''])
    expect(await ask('/auth', accept)).toMatchObject(unanswered)
  expect(await ask('/auth', BROWSER, 'POST')).toMatchObject(unanswered)
  expect(await ask('/auth/other')).toMatchObject(unanswered)
})

it("the host's own page at the issuer stays", async () => {
  const { ask } = await serve((ctx) => {
    ctx.body = 'our own page'
  })
  expect(await ask('/auth')).toMatchObject({ status: 200, text: 'our own page' })
})

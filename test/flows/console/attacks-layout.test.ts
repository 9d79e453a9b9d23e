import { bodyParser } from '@koa/bodyparser'
import type { Middleware } from 'koa'
import mount from 'koa-mount'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConsoleOptions } from 'koa-gatehouse/console'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

type Layout = ConsoleOptions['layout']

const FRAGMENT = { 'X-Gatehouse-Fragment': '1' }

describe('a layout of the host that fails', () => {
  it('the person gets the error page as a document of its own, and the host gets the error', async () => {
    for (const layout of [
      () => {
        throw new Error('the layout failed')
      },
      () => {
        // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error
        throw 'the layout failed'
      },
      async () => Promise.reject(new Error('the layout failed')),
      () => undefined,
      () => '',
      () => ({ document: '' }),
      () => Buffer.from('<!doctype html>'),
      () => process.stdin,
    ]) {
      const host = await startConsole({ store: memoryStore(), console: { layout: layout as Layout } })
      const { status, headers, body } = await host.visit('acme').get('/console')
      expect(status, String(layout)).toBe(500)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('content-security-policy')).toContain(`default-src 'none'`)
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body).toMatch(/<html lang="en"[^]*<h1>/)
      expect(body).not.toContain('the layout failed')
      expect(host.errors.length).toBeGreaterThan(0)
      const missing = await host.visit('acme').get('/console/nothing')
      expect(missing.status).toBe(404)
      // A fragment has no layout.
      expect((await host.visit('acme').get('/console', FRAGMENT)).status).toBe(200)
      await host.close()
    }
  })

  it('a secret of a change that was made is shown when the form is sent again', async () => {
    let isBroken = false
    const host = await startConsole({
      store: memoryStore(),
      console: {
        layout(_ctx, { body }) {
          if (isBroken) throw new Error('the layout failed')
          return body
        },
      },
    })
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    isBroken = true
    expect((await visitor.submit(form, 'create', { name: 'Once', product: 'invoices' })).status).toBe(500)
    isBroken = false
    const { status, body } = await visitor.submit(form, 'create', { name: 'Once', product: 'invoices' })
    expect([status, /gatehouse_[\w-]{43}/.test(body)]).toEqual([200, true])
    expect((await host.gatehouse.apiKeys.listByOwner('acme')).items).toHaveLength(1)
    await host.close()
  })
})

describe('middleware of the host above the console', () => {
  const ABOVE: readonly Middleware[] = [
    bodyParser() as Middleware,
    // A body and a status that were set before.
    (ctx, next) => {
      ctx.status = 404
      ctx.body = { hostile: '<script>alert(1)</script>' }
      return next()
    },
    // A router that has set parameters and its own path.
    (ctx, next) => {
      Object.assign(ctx, { params: { clientId: 'other' }, routerPath: '/console/applications' })
      return next()
    },
  ]

  it('with a body parser, an answer or a router above it, the console shows its page and makes its change', async () => {
    for (const above of ABOVE) {
      const host = await startConsole({
        store: memoryStore(),
        mount(app, gatehouse) {
          app.use(above)
          app.use(createConsole(gatehouse))
        },
      })
      const visitor = host.visit('acme')
      const form = await visitor.open('/console/api-keys/new')
      expect(form.status).toBe(200)
      expect(form.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const product = ['invoices', 'payments']
      expect((await visitor.submit(form, 'create', { name: 'Parsed', product })).status).toBe(200)
      const { items } = await host.gatehouse.apiKeys.listByOwner('acme')
      expect(items.map(({ products }) => products)).toEqual([product])
      expect((await visitor.submit(form, 'create', { csrf: ['a', 'b'] })).status).toBe(403)
      await host.close()
    }
  })

  it('koa-mount serves the console at its path, with links and forms below that path', async () => {
    const host = await startConsole({
      store: memoryStore(),
      mount(app, gatehouse) {
        app.use(mount('/team/console', createConsole(gatehouse, { path: '/team/console' })))
      },
    })
    const visitor = host.visit('acme')
    const form = await visitor.open('/team/console/api-keys/new')
    for (const [, address = ''] of form.body.matchAll(/(?:href|action|src)="([^"]*)"/g)) {
      expect(address).toMatch(/^\/team\/console(\/|$)/)
    }
    expect((await visitor.submit(form, 'create', { name: 'Mounted', product: 'invoices' })).status).toBe(200)
    expect((await visitor.get('/console')).body).toContain('reached')
    await host.close()
  })
})

describe('a fragment', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  it('another site cannot read a fragment, because the console answers no preflight and allows no origin', async () => {
    const cross = { ...FRAGMENT, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const { headers } = await host.visit('acme').get('/console', cross)
    const preflight = await fetch(`${host.origin}/console`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-gatehouse-fragment',
      },
    })
    expect(preflight.status).toBe(405)
    for (const each of [headers, preflight.headers]) {
      expect([...each.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(each.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(each.get('cache-control')).toBe('no-store')
      expect(each.get('x-frame-options')).toBe('DENY')
    }
  })

  it('a fragment has the same checks as a page', async () => {
    expect((await host.visit().get('/console/api-keys', FRAGMENT)).status).toBe(401)
    expect((await host.visit('acme').get('/console/api-keys/unknown', FRAGMENT)).status).toBe(404)
    const { browser } = host.visit('acme')
    const { status } = await browser.request(new URL(`${host.origin}/console/api-keys/new`), {
      method: 'POST',
      headers: { ...FRAGMENT, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'action=create&name=Forged',
    })
    expect(status).toBe(403)
    expect((await host.gatehouse.apiKeys.listByOwner('acme')).items).toEqual([])
  })
})

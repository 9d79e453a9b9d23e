import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { send } from '../../support/raw-request.ts'
import { addressOf, createTargets, PAGES, type Targets } from './attack-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

describe('addresses that attackers choose', () => {
  let host: ConsoleHost
  let targets: Targets
  const returns: URL[] = []
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      accounts: {
        signInUrl(returnTo) {
          returns.push(returnTo)
          return '/login'
        },
      },
    })
    targets = await createTargets(host)
  })
  afterAll(() => host.close())

  const sessionOf = (accountId: string) => ({
    cookie: `host_session=${Buffer.from(JSON.stringify({ accountId })).toString('base64url')}`,
  })
  const open = (target: string, method = 'GET', headers: Record<string, string> = sessionOf('acme')) =>
    send(host.port, { target, method, headers })

  it('a request whose address names another host is sent to the sign-in page of this host only', async () => {
    const foreign: readonly [string, Record<string, string>][] = [
      ['http://evil.example/console/api-keys', {}],
      ['https://evil.example:8443/console', {}],
      ['http://user:password@evil.example/console', {}],
      ['/console/api-keys?next=//evil.example&done=https://evil.example', {}],
      ['/console/api-keys', { host: 'evil.example' }],
      ['/console/api-keys', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }],
      ['/console/api-keys', { forwarded: 'host=evil.example', 'x-original-url': '//evil.example/' }],
      ['//evil.example/console/api-keys', {}],
      ['/\\evil.example/console/api-keys', {}],
      ['/console/../..//evil.example', {}],
    ]
    for (const [target, headers] of foreign) {
      returns.length = 0
      const location = (await open(target, 'GET', headers)).headers.get('location')
      if (location !== null) expect(new URL(location, host.origin).href).toBe(`${host.origin}/login`)
      for (const { origin, username, pathname } of returns) {
        expect([target, origin, username]).toEqual([target, host.origin, ''])
        expect(pathname).toMatch(/^\/console(\/|$)/)
      }
    }
  })

  it('a mount at the root does not send a person to another origin either', async () => {
    const atRoot = await startConsole({
      store: memoryStore(),
      mount: (app, gatehouse) => app.use(createConsole(gatehouse).apiKeys({ path: '/' })),
    })
    for (const target of [
      '//evil.example',
      '/\\evil.example',
      '//evil.example/new',
      'http://evil.example/new',
    ]) {
      const { headers, text } = await send(atRoot.port, { target })
      expect(new URL(headers.get('location') ?? '/', atRoot.origin).origin).toBe(atRoot.origin)
      for (const [, address = ''] of text.matchAll(/(?:href|action)="([^"]*)"/g)) {
        expect(new URL(address, atRoot.origin).origin).toBe(atRoot.origin)
      }
    }
    await atRoot.close()
  })

  it('parameters of the query neither redirect a page nor put an address of another origin on it', async () => {
    const query = ['done', 'next', 'returnTo', 'redirect', 'disconnected', 'trail', 'q', 'id']
      .map((name) => `${name}=${encodeURIComponent('https://evil.example/"><script>alert(1)</script>')}`)
      .join('&')
    for (const { path, isForOperators } of PAGES) {
      const { status, text, headers } = await open(
        `${addressOf(path, targets)}?${query}`,
        'GET',
        sessionOf(isForOperators ? 'root' : 'acme'),
      )
      expect([200, 404]).toContain(status)
      expect(headers.get('location')).toBeNull()
      expect(text).not.toContain('<script>alert')
      expect(text).not.toMatch(/(?:href|src|action)="https:\/\/evil/)
    }
  })

  it('a link of another site cannot make a page claim that something was done', async () => {
    const visitor = host.visit('acme')
    const path = '/console/api-keys?done=doneClientDeleted'
    expect((await visitor.get(path)).body).toContain('role="status"')
    expect((await visitor.get(path, { 'sec-fetch-site': 'same-origin' })).body).toContain('role="status"')
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await visitor.get(path, { 'sec-fetch-site': site })).body).not.toContain('role="status"')
    }
    for (const name of ['doneX', 'navOverview', '__proto__', 'constructor', 'done']) {
      expect((await visitor.get(`/console/api-keys?done=${name}`)).body).not.toContain('role="status"')
    }
  })

  it('a tricky address is not found, and says nothing about what exists', async () => {
    const id = targets.apiKey
    const tricks = [
      '/console//evil.example',
      '/console/api-keys/',
      '/console/API-KEYS',
      '/console/./api-keys',
      '/console/nothing/../api-keys',
      '/console/assets/../api-keys',
      '/console/assets/__proto__',
      '/console/assets/%2e%2e/api-keys',
      '/console/api-keys;x',
      '/console/api-keys%2Fnew',
      '/console/api-keys/%2e%2e',
      '/console/api-keys/..%2f',
      '/console/api-keys/%00',
      '/console/api-keys/%E0%A4%A',
      '/console/api-keys/%ED%A0%80',
      '/console/api-keys/%0d%0aSet-Cookie:%20a=b',
      '/console/api-keys/__proto__',
      '/console/api-keys/constructor',
      `/console/api-keys/${'x'.repeat(4000)}`,
      `/console/api-keys//${id}`,
      `/console/api-keys/${id}/`,
      `/console/api-keys/${id}%2F`,
      `/console/api-keys/${id}%00`,
      `/console/api-keys/${id}%20`,
      `/console/api-keys/${id.toUpperCase()}`,
      `/console/api-keys/${id}/delete/..`,
      `/console/api-keys/${id}%2Fdelete`,
      `/console/api-keys/x/../${id}`,
      '/console/api-keys?cursor=%00',
      '/console/api-keys?cursor=%F0%9F%92%A9',
      `/console/api-keys?cursor=${'x'.repeat(5000)}`,
      '/console/activity?cursor=',
      '/console/hygiene?cursor=x',
      '/console/connected-applications?cursor=x',
      '/console/activity?cursor=__proto__&trail=__proto__',
    ]
    for (const address of tricks) {
      const answer = await open(address)
      expect([address, answer.status]).toEqual([address, 404])
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(answer.headers.get('content-security-policy')).toContain(`default-src 'none'`)
      expect(answer.text).not.toContain('Ledger')
    }
    for (const address of [
      '/console/connected-applications?disconnected=%00',
      '/console/connected-applications?disconnected=%ED%A0%80',
      `/console/connected-applications?disconnected=${'y'.repeat(500)}`,
      '/console/connected-applications?cursor=1.x',
      '/console/api-keys?__proto__=1&constructor=2&done=doneKeyAdded&done=doneKeyAdded&cursor=',
      '/console?%00=%00&a[b]=c',
    ]) {
      expect([address, (await open(address)).status]).toEqual([address, 200])
    }
  })

  it('HEAD answers as GET does, without a body, and other methods get 405 with the methods that exist', async () => {
    for (const { path, isForOperators } of PAGES) {
      const session = sessionOf(isForOperators ? 'root' : 'acme')
      const target = addressOf(path, targets)
      const [get, head] = [await open(target, 'GET', session), await open(target, 'HEAD', session)]
      expect([head.status, head.text]).toEqual([get.status, ''])
      expect(head.headers.get('cache-control')).toBe('no-store')
      const methods = path === '/' ? ['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'] : ['DELETE']
      for (const method of methods) {
        const { status, headers } = await open(target, method, session)
        expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
      }
    }
  })

  it('every page, asset and error has its security headers, and only a page with a form sets a cookie', async () => {
    const { text } = await open('/console')
    const assets = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    for (const path of assets) {
      const { headers } = await open(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('set-cookie')).toBeNull()
    }
    const pages = PAGES.map(({ path, isForOperators }) => [addressOf(path, targets), isForOperators] as const)
    const errors = ['/console/nothing', '/console/api-keys/unknown'].map((path) => [path, false] as const)
    for (const [path, isForOperators] of [...pages, ...errors]) {
      const page = await open(path, 'GET', sessionOf(isForOperators ? 'root' : 'acme'))
      const { headers } = page
      const isPreview = path.endsWith('/preview/frame')
      const ancestors = isPreview ? `frame-ancestors 'self'` : `frame-ancestors 'none'`
      expect(headers.get('content-security-policy')).toContain(ancestors)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-frame-options')).toBe(isPreview ? 'SAMEORIGIN' : 'DENY')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe(isPreview ? 'same-origin' : 'no-referrer')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      const cookie = headers.get('set-cookie')
      if (page.text.includes('name="csrf"'))
        expect(cookie).toMatch(/^gatehouse_csrf_[\w-]+=[\w-]{22}; Path=\/console; HttpOnly; SameSite=Lax$/)
      else expect(cookie, path).toBeNull()
    }
  })
})

describe('client ids with special characters', () => {
  it('the pages and forms of a client whose id has every allowed character lead to this client', async () => {
    const host = await startConsole({ store: memoryStore() })
    const clientId = '~a.b_c-d@e=f..'
    await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Special',
      products: ['invoices'],
      clientId,
    })
    const visitor = host.visit('acme')
    const { body } = await visitor.open('/console/api-keys')
    const [, link = ''] = /href="([^"]+)"[^>]*>\s*<bdi>Special/.exec(body) ?? []
    const page = await visitor.open(link)
    expect([page.status, page.body.includes('Special')]).toEqual([200, true])
    const renamed = await visitor.submit(page, 'save', { name: 'Renamed' })
    expect(renamed.url.pathname).toBe(`${link}/settings`)
    expect(await host.gatehouse.apiKeys.find(clientId)).toMatchObject({ name: 'Renamed' })
    await host.close()
  })
})

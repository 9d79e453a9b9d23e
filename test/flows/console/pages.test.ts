import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatehouseError } from 'koa-gatehouse'
import type { ConsoleOptions } from 'koa-gatehouse/console'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

const FRAGMENT = { 'X-Gatehouse-Fragment': '1' }

describe('a page of the console', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  it('a person who is not signed in is sent to the sign-in page of the host, and back to the same page', async () => {
    const { status, headers } = await host.visit().get('/console?cursor=1')
    expect(status).toBe(303)
    expect(headers.get('location')).toBe(`${host.origin}/login?next=%2Fconsole%3Fcursor%3D1`)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('a fragment is the page without a document around it', async () => {
    const { body } = await host.visit('acme').get('/console', FRAGMENT)
    expect(body).not.toContain('<html')
    expect(body).toMatch(/<div\s+class="gatehouse"/)
  })

  it('an unknown path gets 404, another method gets 405, and paths outside pass to the host', async () => {
    const visitor = host.visit('acme')
    expect((await visitor.get('/console/nothing')).status).toBe(404)
    const other = await fetch(`${host.origin}/console`, { method: 'DELETE' })
    expect(other.status).toBe(405)
    expect((await visitor.get('/consoles')).status).toBe(200)
    expect(host.reached).toContain('GET /consoles')
  })

  it('stylesheet and script are kept for a year, compressed, and small', async () => {
    const { body } = await host.visit('acme').get('/console')
    const paths = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    expect(paths).toHaveLength(2)
    for (const path of paths) {
      const { status, headers } = await host.visit().get(path, { 'accept-encoding': 'gzip' })
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('content-encoding')).toBe('gzip')
      expect(Number(headers.get('content-length'))).toBeLessThan(4608)
    }
    const raw = await fetch(host.origin + paths[1], { headers: { 'accept-encoding': 'identity' } })
    expect(raw.headers.get('content-encoding')).toBeNull()
    expect(await raw.text()).toContain('X-Gatehouse-Fragment')
  })
})

describe('the options of the console', () => {
  it('the layout of the host writes the document, and gets the directives that the page needs', async () => {
    const policies: unknown[] = []
    const host = await startConsole({
      store: memoryStore(),
      console: {
        path: '/settings',
        layout(_ctx, { title, body, csp }) {
          policies.push(csp)
          return `<!doctype html><title>${title} | Host</title><main>${body}</main>`
        },
      },
    })
    const { body, headers } = await host.visit('acme').get('/settings')
    expect(body).toMatch(
      /^<!doctype html><title>Overview \| Host<\/title><main><link rel="stylesheet" href="\/settings\/assets\//,
    )
    expect(headers.get('content-security-policy')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
    expect(policies).toEqual([
      expect.objectContaining({ 'script-src': [`'self'`], 'form-action': [`'self'`] }),
    ])
    await host.close()
  })

  it('a host whose pages frame the console allows its own origin only', async () => {
    const host = await startConsole({ store: memoryStore(), console: { sameOriginFrame: true } })
    const { headers } = await host.visit('acme').get('/console')
    expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'self'`)
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    await host.close()
  })

  it('invalid options, and a host without accounts.current, are rejected at once', async () => {
    const host = await startConsole({ store: memoryStore() })
    expect(() => createConsole(host.gatehouse, { path: 'console' })).toThrow(GatehouseError)
    expect(() => createConsole(host.gatehouse, { mountPath: 'console' })).toThrow(GatehouseError)
    const { apiKeys } = createConsole(host.gatehouse)
    expect(() => apiKeys({ path: '/keys', mountPath: 'keys' })).toThrow(GatehouseError)
    expect(() => createConsole(host.gatehouse, { layuot: 1 } as object)).toThrow(/layuot/)
    expect(() => createConsole(host.gatehouse).apiKeys({} as never)).toThrow(/path/)
    await host.close()
  })

  it('texts with an unknown name, a locale that is no language tag, or an incomplete plural are rejected at once', async () => {
    const host = await startConsole({ store: memoryStore() })
    const problemsOf = (texts: object) => {
      try {
        createConsole(host.gatehouse, { texts: texts as ConsoleOptions['texts'] })
        return []
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
        return (error as GatehouseError).problems.map(({ path }) => path)
      }
    }
    expect(problemsOf({ de: { navOprator: 'Leitstand' } })).toEqual(['texts.de.navOprator'])
    expect(problemsOf({ de_DE: { navOperator: 'Leitstand' } })).toEqual(['texts.de_DE'])
    expect(problemsOf({ fr: { navOperator: 5, connectedCount: { one: 'une' } } })).toEqual([
      'texts.fr.navOperator',
      'texts.fr.connectedCount.other',
    ])
    expect(problemsOf({ fr: { navOperator: undefined, connectedCount: { other: '{count}' } } })).toEqual([])
    await host.close()
  })
})

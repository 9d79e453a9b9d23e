import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
import session from 'koa-session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localPath, website } from '../../examples/server/website.ts'
import { createBrowser } from '../support/browser.ts'

describe('the sign-in form', () => {
  let server: Server
  let origin: string
  beforeAll(async () => {
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, () => resolve()))
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    const app = new Koa()
    app.keys = ['a key for tests']
    app
      .use(session({ sameSite: 'lax' }, app))
      .use(bodyParser())
      .use(website(origin).routes())
    server.on('request', app.callback())
  })
  afterAll(() => void server.close())

  const alice = { username: 'alice', password: 'wonderland' }

  it('a user with the right password is signed in, and gets a new session', async () => {
    const browser = createBrowser({ follow: [origin] })
    const form = await browser.open(`${origin}/login`)
    const wrong = await browser.submit(form, { change: { ...alice, password: 'x' } })
    expect(wrong.status).toBe(401)
    const [before] = [...browser.cookies.values()].map(({ value }) => value)
    const home = await browser.submit(wrong, { change: alice })
    expect(home.body).toContain('<h1>Alice Liddell</h1>')
    expect([...browser.cookies.values()].map(({ value }) => value)).not.toContain(before)
  })

  it('a sign-in form with a wrong token is rejected', async () => {
    for (const csrf of [null, '', 'x'.repeat(43)]) {
      const browser = createBrowser({ follow: [origin] })
      const form = await browser.open(`${origin}/login`)
      const rejected = await browser.submit(form, { change: { ...alice, csrf } })
      expect(rejected.status).toBe(403)
      expect(rejected.body).toContain('This form has expired.')
      expect((await browser.open(origin)).body).toContain('href="/login"')
    }
  })

  it('a sign-in form of another browser, or without a session, is rejected', async () => {
    const [one, other] = [createBrowser({ follow: [origin] }), createBrowser({ follow: [origin] })]
    const form = await one.open(`${origin}/login`)
    expect((await other.submit(form, { change: alice })).status).toBe(403)
    await other.open(`${origin}/login`)
    expect((await other.submit(form, { change: alice })).status).toBe(403)
  })
})

it('the sign-in redirects to the path in the parameter "next" on the same origin, and to the home page otherwise', () => {
  const origin = 'http://localhost:3000'
  for (const [next, expected] of [
    ['/auth/interaction/abc?x=1', '/auth/interaction/abc?x=1'],
    ['http://localhost:3000/auth/x', '/auth/x'],
    ['relative', '/relative'],
  ] as const) {
    expect(localPath(next, origin)).toBe(expected)
  }
  const others = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    'http://localhost:3001/',
    'http://localhost:3000@evil.example/',
    'javascript:alert(1)',
    'http://localhost:3000//evil.example',
    '/.//evil.example',
    '\t//evil.example',
    ['/a', '/b'],
    undefined,
    '',
  ]
  expect(others.filter((next) => localPath(next, origin) !== '/')).toEqual([])
})

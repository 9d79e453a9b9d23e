import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, type Browser } from '../support/browser.ts'
import { buildExamples, type BuiltExamples, type ExampleProcess } from './example-process.ts'

let examples: BuiltExamples
let example: ExampleProcess
let origin: string
let credentials: string
beforeAll(async () => {
  examples = await buildExamples()
  example = await examples.start({}, { args: ['build/examples/existing-app.js'], printsWhenReady: '# 403' })
  await example.ready()
  origin = `http://localhost:${example.port}`
  credentials = /-u (\S+)/.exec(example.stdout())?.[1] ?? ''
})
afterAll(() => examples?.remove())

const newBrowser = () => createBrowser({ follow: [origin] })

/** Calls the API with a token, or without one. */
function callApi(method: string, path: string, token?: string, body?: object): Promise<Response> {
  return fetch(`${origin}/api${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
  })
}

/** Signs in on the page of the app. */
async function signIn(browser: Browser) {
  return browser.submit(await browser.open(`${origin}/login`), {
    change: { username: 'alice', password: 'wonderland' },
  })
}

/** Opens an authorization request of the partner. */
const authorize = (browser: Browser, scope: string) => {
  const [address = ''] = /http:\S+authorize\?\S+/.exec(example.stdout()) ?? []
  const url = new URL(address)
  url.searchParams.set('scope', scope)
  return browser.open(url)
}

/** Runs the flow from the authorization request to the tokens, for a user who is signed in. */
async function connect(browser: Browser, scope: string) {
  const page = await authorize(browser, scope)
  // There is no consent page if the user has allowed all requested operations before.
  const returned =
    page.url.pathname === '/partner/callback'
      ? page
      : await browser.submit(page, { action: /consent$/, button: ['action', 'approve'] })
  expect(returned.url.pathname).toBe('/partner/callback')
  const response = await fetch(`${origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: returned.url.searchParams.get('code') ?? '',
    }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { access_token: string; id_token: string; scope: string }
}

describe('the example that adds gatehouse to an existing app', () => {
  it('in production the app does not start without the key of its sessions', async () => {
    const program = { args: ['build/examples/existing-app.js'], printsWhenReady: '# 403' }
    const production = await examples.start({ NODE_ENV: 'production', SESSION_KEY: '' }, program)
    expect(await production.ended).toBe(1)
    expect(production.stderr()).toContain('set SESSION_KEY to a secret')
  })

  it('a partner connects an account of the app, and calls exactly the operations that the user allowed', async () => {
    const browser = newBrowser()
    const signInPage = await authorize(browser, 'openid invoices:read')
    expect(signInPage.url.pathname).toBe('/login')
    const consent = await browser.submit(signInPage, {
      change: { username: 'alice', password: 'wonderland' },
    })
    expect(consent.body).toContain('Tallybook')
    expect(consent.body).toContain('Read your invoices')

    const tokens = await connect(browser, 'openid invoices:read')
    expect(tokens.scope).toBe('openid invoices:read')
    const read = await callApi('GET', '/invoices', tokens.access_token)
    expect(read.status).toBe(200)
    expect(await read.json()).toMatchObject([{ accountId: 'alice', customer: 'Mad Hatter Teas' }])

    const rejected = await callApi('POST', '/invoices', tokens.access_token, { customer: 'X', amount: 1 })
    expect(rejected.status).toBe(403)
    expect(await rejected.json()).toMatchObject({ error: 'insufficient_scope' })
    const after = await callApi('GET', '/invoices', tokens.access_token)
    expect(await after.json()).toHaveLength(1)
  })

  it('a partner with the scope creates an invoice through the body parser of the app', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { access_token } = await connect(browser, 'invoices:create')
    const created = await callApi('POST', '/invoices', access_token, { customer: 'March Hare', amount: 12 })
    expect(created.status).toBe(201)
    expect((await callApi('GET', '/invoices', access_token)).status).toBe(403)
    const seen = await browser.request(new URL(`${origin}/api/invoices`))
    expect(JSON.parse(seen.body)).toContainEqual({ accountId: 'alice', customer: 'March Hare', amount: 12 })
  })

  it('the front end of the app needs no token for the API, only the session of the app', async () => {
    const browser = newBrowser()
    const home = await signIn(browser)
    expect(home.url.href).toBe(`${origin}/`)
    expect(home.body).toContain("fetch('/api/invoices')")
    const invoices = await browser.request(new URL(`${origin}/api/invoices`))
    expect(invoices.status).toBe(200)
    expect(invoices.body).toContain('Mad Hatter Teas')
    const profile = await browser.request(new URL(`${origin}/api/profile`))
    expect(JSON.parse(profile.body)).toEqual({ accountId: 'alice' })
  })

  it('the API rejects a call that has neither a session nor a token, and a call with an invalid token', async () => {
    expect((await callApi('GET', '/invoices')).status).toBe(401)
    expect((await callApi('POST', '/invoices', undefined, { customer: 'X', amount: 1 })).status).toBe(401)
    const bad = await callApi('GET', '/invoices', 'not.a.token')
    expect(bad.status).toBe(401)
    expect(await bad.json()).toMatchObject({ error: 'invalid_token' })
  })

  it('a user who signs out at the app must sign in before the next consent, and the partner stays connected', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { access_token } = await connect(browser, 'invoices:read')
    await browser.submit(await browser.open(origin), { action: /logout$/ })
    expect((await browser.request(new URL(`${origin}/api/invoices`))).status).toBe(401)
    expect((await authorize(browser, 'invoices:read')).url.pathname).toBe('/login')
    expect((await callApi('GET', '/invoices', access_token)).status).toBe(200)
  })

  it('if a user confirms a sign-out that a partner requests, the user is also signed out of the app', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { id_token } = await connect(browser, 'openid invoices:read')
    const ask = await browser.open(`${origin}/auth/oauth2/logout?id_token_hint=${id_token}`)
    await browser.submit(ask, { button: ['logout', 'yes'] })
    expect((await browser.open(origin)).body).toContain('href="/login"')
    expect((await browser.request(new URL(`${origin}/api/invoices`))).status).toBe(401)
  })

  it('the sign-in page of the app never leads to another site, and rejects wrong credentials', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      'http://localhost:1@evil.example/auth/',
    ]) {
      const browser = newBrowser()
      const form = await browser.open(`${origin}/login?next=${encodeURIComponent(next)}`)
      const change = { username: 'alice', password: 'wonderland' }
      expect((await browser.submit(form, { change })).url.href).toBe(`${origin}/`)
    }
    for (const change of [
      {},
      { username: 'alice' },
      { username: 'x', password: '' },
      { username: 'alice', password: 'x' },
    ]) {
      const browser = newBrowser()
      const form = await browser.open(`${origin}/login`)
      const rejected = await browser.submit(form, { change: { username: null, password: null, ...change } })
      expect(rejected.status).toBe(401)
    }
  })
})

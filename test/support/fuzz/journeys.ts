import type { Server } from 'node:http'
import { createBrowser, type Browser, type Page } from '../browser.ts'
import type { KnownClient } from './clients.ts'
import type { Driver } from './driver.ts'
import {
  CALLBACK,
  HOST_COOKIE,
  hostCookie,
  ISSUER,
  ORIGIN,
  PASSWORD,
  SERVICE,
  type FuzzHost,
} from './fuzz-host.ts'

/** People who sign in by turns, because one person may authorize an application 60 times in an hour. */
const PEOPLE = ['alice', 'bob', 'acme'] as const

/** Creates functions for the valid flows of users and clients at a host. */
export function createJourneys({ driver, servers, options }: FuzzHost) {
  const server = servers.get(SERVICE)
  if (!server) throw new Error('the host has no authorization service')
  let journeys = 0

  const personOf = (journey: number) => Math.floor(journey / 7) % PEOPLE.length

  const newBrowser = () => {
    journeys += 1
    const address = `10.${journeys >> 16}.${(journeys >> 8) & 255}.${journeys & 255}`
    return createBrowser({ follow: [ORIGIN], fetch: createInsideFetch(driver, server, address) })
  }

  /** Requests tokens. Throws if the token endpoint does not issue them. */
  async function issue(parameters: Record<string, string>): Promise<Record<string, string>> {
    const page = await newBrowser().request(new URL(`${ISSUER}/oauth2/token`), {
      method: 'POST',
      body: new URLSearchParams(parameters).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    if (page.status !== 200) throw new Error(`no token: ${page.status} ${page.body}`)
    return JSON.parse(page.body) as Record<string, string>
  }

  /** Opens an authorization request in a new browser, and continues until the step `until`. */
  async function authorize(
    client: KnownClient,
    scope: string,
    until: 'sign-in' | 'consent' | 'code',
  ): Promise<{ page: Page; browser: Browser }> {
    const browser = newBrowser()
    if (options.hasHostSession && until !== 'sign-in') {
      const value = hostCookie('alice', `u${personOf(journeys)}`)
      browser.cookies.set(`${HOST_COOKIE}|${ORIGIN}|/`, { value, path: '/', origin: ORIGIN })
    }
    const url = new URL(`${ISSUER}/oauth2/authorize`)
    const parameters = {
      client_id: client.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope,
      prompt: 'consent',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    let page = await browser.open(url)
    if (!options.hasHostSession) {
      if (until === 'sign-in') return { page, browser }
      page = await browser.submit(page, {
        action: /sign-in/,
        change: { identifier: String(PEOPLE[personOf(journeys)]), password: PASSWORD },
      })
    }
    if (until === 'code') {
      page = await browser.submit(page, { action: /consent/, button: ['action', 'approve'] })
    }
    return { page, browser }
  }

  return { authorize, issue }
}

/** A `Cookie` header with all cookies of a browser. */
export function cookiesOf(browser: Browser): string {
  return [...browser.cookies.entries()].map(([key, { value }]) => `${key.split('|')[0]}=${value}`).join('; ')
}

/** A `fetch` for the test browser that sends every request to one server of this process, at any address. */
function createInsideFetch(driver: Driver, server: Server, address: string): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`]
    // `Request` drops the headers that only browsers may set.
    const headers = new Map([
      ...request.headers,
      ...Object.entries((init?.headers ?? {}) as Record<string, string>),
    ])
    for (const [name, value] of headers) if (value !== '') lines.push(`${name}: ${value}`)
    lines.push(`Content-Length: ${body.length}`, '', '')
    const bytes = Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body])
    const { answers, received } = await driver.send(server, bytes, { address })
    const [answer] = answers
    if (!answer) throw new Error(`no answer to ${request.method} ${url.href}: ${received}`)
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : Buffer.from(answer.body, 'latin1'), {
      status: answer.status,
      headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
    })
  }
}

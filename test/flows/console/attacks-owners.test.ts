import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createBrowser } from '../../support/browser.ts'
import { connect } from '../../support/host.ts'
import { sessionIn } from '../../support/session-cookie.ts'
import {
  ACTIONS,
  addressOf,
  createTargets,
  csrfTokenOf,
  fieldsOf,
  PAGES,
  stateOf,
  type Targets,
} from './attack-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const FORM = 'application/x-www-form-urlencoded'

function post(host: ConsoleHost, person: string, path: string, fields: Record<string, string>) {
  return host.visit(person).browser.request(new URL(host.origin + path), {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': FORM, 'sec-fetch-site': 'same-origin' },
  })
}

/** What two pages have in common: everything but the token of their forms. */
const withoutTokens = (body: string) => body.replaceAll(/name="(csrf|request)" value="[^"]*"/g, '')

describe('pages and actions of other owners', () => {
  let host: ConsoleHost
  let targets: Targets
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore(), gatehouse: { privateKeyJwt: true } })
    targets = await createTargets(host)
  })
  afterAll(() => host.close())

  const unknown = { apiKey: 'key_unknown', application: 'app_unknown', kid: 'unknown' }

  it('each page about a client of another account looks like the page about an unknown client', async () => {
    // An API key is not found below the path of applications, and the other way round.
    const swapped = { ...targets, apiKey: targets.application, application: targets.apiKey }
    const wrong: unknown[] = []
    for (const { path } of PAGES.filter((page) => !page.isForOperators && page.path.includes(':'))) {
      for (const person of ['bob', 'root', 'ACME', 'acme ']) {
        const [other, none] = await Promise.all([
          host.visit(person).get(addressOf(path, targets)),
          host.visit(person).get(addressOf(path, unknown)),
        ])
        const isSame =
          other.body === none.body && [...other.headers.keys()].join() === [...none.headers.keys()].join()
        if (other.status !== 404 || none.status !== 404 || !isSame) wrong.push([path, person, other.body])
      }
      if ((await host.visit('acme').get(addressOf(path, swapped))).status !== 404) wrong.push([path, 'kind'])
      if ((await host.visit().get(addressOf(path, targets))).status !== 303) wrong.push([path, 'signed out'])
    }
    expect(wrong).toEqual([])
  })

  it('each action by a person of another account changes nothing, and says nothing about the client', async () => {
    const before = await stateOf(host, targets)
    const tokens = new Map<string, string>()
    for (const person of ['bob', 'acme', 'root']) tokens.set(person, await csrfTokenOf(host, person))
    const wrong: unknown[] = []
    for (const { path, action, isForOperators } of ACTIONS) {
      if (!path.includes(':') && !path.startsWith('/operator')) continue
      for (const person of ['bob', ...(isForOperators ? ['acme'] : ['root'])]) {
        const fields = { ...fieldsOf(action, targets), csrf: tokens.get(person) ?? '', action }
        const { status, headers, body } = await post(host, person, addressOf(path, targets), fields)
        const isRejected = status === (isForOperators ? 403 : 404) && headers.get('location') === null
        if (!isRejected || body.includes('Ledger')) wrong.push([path, action, person, status])
      }
    }
    expect(wrong).toEqual([])
    expect(await stateOf(host, targets)).toBe(before)
  })

  it('the pages of operators look the same to other persons, whatever exists', async () => {
    for (const { path } of PAGES.filter(({ isForOperators }) => isForOperators)) {
      const known = await host.visit('acme').get(addressOf(path, targets))
      const none = await host.visit('acme').get(addressOf(path, unknown))
      expect([known.status, none.status]).toEqual([403, 403])
      expect(withoutTokens(known.body)).toBe(withoutTokens(none.body))
      expect(known.body).not.toMatch(/Ledger|acme/)
      expect((await host.visit().get(addressOf(path, targets))).status).toBe(303)
    }
    expect((await host.visit('acme').get('/console')).body).not.toContain('/console/operator')
  })

  it('a user of an account neither sees nor disconnects what another user of the account has connected', async () => {
    const client = await host.createApplication({ accountId: 'alice', name: 'Tallybook' })
    const browser = createBrowser({ follow: [host.origin] })
    sessionIn(host.origin).signInAt(browser, { accountId: 'acme', userId: 'nora' })
    const tokens = await connect(host, client, { browser, parameters: { scope: 'invoices:read' } })
    const path = '/console/connected-applications'
    expect((await host.visit('acme/nora').get(path)).body).toContain('Tallybook')
    for (const person of ['acme/otto', 'bob/nora', 'bob']) {
      expect((await host.visit(person).get(path)).body).not.toContain('Tallybook')
      const csrf = await csrfTokenOf(host, person)
      await post(host, person, path, { action: 'disconnect', application: client.client_id, csrf })
    }
    expect((await host.refresh(client, tokens.refresh_token)).status).toBe(200)
  })
})

it('a person who may only read gets 403 for each action, and it changes nothing', async () => {
  const host = await startConsole({
    store: memoryStore(),
    gatehouse: { privateKeyJwt: true },
    accounts: { can: (_ctx, permission) => permission.endsWith(':read') },
  })
  const targets = await createTargets(host)
  await host.gatehouse.apiKeys.rotateSecret(targets.apiKey)
  await host.gatehouse.applications.rotateSecret(targets.application)
  const csrf = await csrfTokenOf(host, 'acme')
  const before = await stateOf(host, targets)
  const wrong: unknown[] = []
  for (const { path, action, isForOperators } of ACTIONS) {
    // A token may be inspected by everybody who may see its client.
    if (isForOperators || action === 'inspect') continue
    const fields = { ...fieldsOf(action, targets), action, csrf }
    const { status } = await post(host, 'acme', addressOf(path, targets), fields)
    if (status !== 403) wrong.push([path, action, status])
  }
  expect(wrong).toEqual([])
  expect(await stateOf(host, targets)).toBe(before)
  await host.close()
})

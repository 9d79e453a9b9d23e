import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import {
  ACTIONS,
  addressOf,
  createTargets,
  csrfTokenOf,
  fieldsOf,
  PUBLIC_KEY,
  stateOf,
  type Targets,
} from './attack-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** The actions that change nothing. The usage of 90 days that `removeOperations` needs is in `usage.test.ts`. */
const WITHOUT_CHANGE = ['inspect', 'find', 'removeOperations']

const FORM = 'application/x-www-form-urlencoded'

/** A request with which an attacker tries to make a change, and the status of its answer. */
type Attack = readonly [status: number, init: RequestInit]

describe('forms that attackers send', () => {
  let host: ConsoleHost
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore(), gatehouse: { privateKeyJwt: true } })
    for (const person of ['acme', 'acme/nora', 'bob', 'root', 'root/nora']) {
      tokens.set(person, await csrfTokenOf(host, person))
    }
  })
  afterAll(() => host.close())

  function send(person: string | undefined, path: string, init: RequestInit = {}) {
    const { browser } = host.visit(person)
    return browser.request(new URL(host.origin + path), { method: 'POST', ...init })
  }

  function encode(fields: Record<string, string | undefined>): string {
    const sent = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) sent.set(name, value)
    return sent.toString()
  }

  const form = (body: string, headers: Record<string, string> = {}): RequestInit => ({
    body,
    headers: { 'content-type': FORM, ...headers },
  })

  /** Sends requests, and returns those that got another answer than expected. */
  async function wrongAnswers(person: string, path: string, attacks: readonly Attack[]): Promise<string[]> {
    const wrong: string[] = []
    for (const [expected, init] of attacks) {
      const { status, headers } = await send(person, path, init)
      if (status === expected && headers.get('cache-control') === 'no-store') continue
      const body = typeof init.body === 'string' ? init.body.slice(0, 300) : typeof init.body
      wrong.push(`${status} instead of ${expected}: ${JSON.stringify(init.headers)} ${body}`)
    }
    return wrong
  }

  it('a form changes nothing if its token is missing, doubled or invalid, if it comes from elsewhere, or if it is no form', async () => {
    const targets = await createTargets(host, { isConnected: false })
    const action = 'disable'
    const csrf = tokens.get('acme')
    const full = { action, csrf }
    const multipart = new FormData()
    for (const [name, value] of Object.entries(full)) multipart.set(name, value ?? '')
    const attacks: readonly Attack[] = [
      [403, {}],
      [403, { headers: { 'content-type': FORM } }],
      ...['', 'null', 'x'].map((invalid): Attack => [403, form(encode({ ...full, csrf: invalid }))]),
      [403, form(encode({ ...full, csrf: tokens.get('bob') }))],
      [403, form(`${encode(full)}&csrf=x`)],
      [403, form(`${encode(full)}&csrf=${csrf}`)],
      [403, form(encode({ action, 'csrf[]': csrf }))],
      ...['cross-site', 'same-site', 'none'].map((site): Attack => [
        403,
        form(encode(full), { 'sec-fetch-site': site }),
      ]),
      [403, form(encode(full), { origin: 'https://evil.example' })],
      [403, form(encode(full), { origin: `${host.origin}.evil.example` })],
      [400, form(encode({ csrf }))],
      [400, form(`${encode(full)}&action=${action}`)],
      [400, form(encode({ ...full, action: 'constructor' }))],
      [400, form(encode({ ...full, action: '__proto__' }))],
      [415, { body: multipart }],
      [415, { body: JSON.stringify(full), headers: { 'content-type': 'application/json' } }],
      [415, { body: encode(full), headers: { 'content-type': 'text/plain' } }],
      [415, form(encode(full), { 'content-encoding': 'gzip' })],
      [413, form(`${encode(full)}&padding=${'x'.repeat(1_000_000)}`)],
    ]
    const before = await stateOf(host, targets)
    expect(await wrongAnswers('acme', addressOf('/api-keys/:clientId/settings', targets), attacks)).toEqual(
      [],
    )
    expect(await stateOf(host, targets)).toBe(before)
  })

  /** Makes an action possible. */
  async function prepare(path: string, action: string, targets: Targets): Promise<void> {
    const { apiKeys, applications } = host.gatehouse
    const isKey = path.startsWith('/api-keys')
    const service = isKey ? apiKeys : applications
    const clientId = isKey ? targets.apiKey : targets.application
    if (action === 'revokeSecret') await service.rotateSecret(clientId)
    if (action === 'fix')
      await apiKeys.update(targets.apiKey, { expiresAt: Math.floor(Date.now() / 1000) + 86_400 })
    if (action === 'removeKey') await service.addKey(clientId, PUBLIC_KEY)
    if (action === 'enable') await service.disable(clientId)
    if (path.includes('/users/')) await apiKeys.handOver(targets.apiKey, 'nora')
  }

  it.each(ACTIONS)(
    'the form “$action” of $path changes nothing without the token of its person, by GET or signed out, and makes its change otherwise',
    async ({ path, action, isForOperators }) => {
      const person = isForOperators ? 'root' : 'acme'
      const targets = await createTargets(host, { isConnected: action === 'disconnect' })
      await prepare(path, action, targets)
      const address = addressOf(path, targets)
      const page = await host.visit(person).get(address)
      const version = /name="version"\s+value="([^"]*)"/.exec(page.body)?.[1]?.replaceAll('&quot;', '"')
      const createdAt = /which=old&amp;createdAt=(\d+)/.exec(page.body)?.[1]
      const known = { ...(version && { version }), ...(createdAt && { createdAt }) }
      const name = path.includes('/users/') ? 'nora' : 'acme'
      const typed = { handOver: { userId: 'nora' }, erase: { name } }[action]
      const own = typed ?? known
      const fields = { ...fieldsOf(action, targets), ...own, action }
      const full = { ...fields, csrf: tokens.get(person) }
      const before = await stateOf(host, targets)
      const ofAnother = { ...fields, csrf: tokens.get(`${person}/nora`) }
      const rejected: readonly Attack[] = [
        [403, form(encode(fields))],
        [403, form(encode(ofAnother))],
      ]
      const wrong = await wrongAnswers(person, address, rejected)
      const asGet = await host.visit(person).get(`${address}?${encode(full)}`)
      if (asGet.status !== page.status) wrong.push(`${asGet.status} for GET`)
      const signedOut = await send(undefined, address, form(encode(full)))
      if (signedOut.status !== 401) wrong.push(`${signedOut.status} for a person who is signed out`)
      expect(wrong).toEqual([])
      expect(await stateOf(host, targets)).toBe(before)

      const { status, body } = await send(person, address, form(encode(full)))
      if (WITHOUT_CHANGE.includes(action)) return
      expect([200, 303], body).toContain(status)
      expect(await stateOf(host, targets)).not.toBe(before)
    },
  )
})

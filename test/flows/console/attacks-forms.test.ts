import { daysAgo } from '../../support/days-ago.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeEachStore, watchWrites } from '../../support/stores.ts'
import {
  ACTIONS,
  addressOf,
  createTargets,
  csrfTokenOf,
  fieldsOf,
  PUBLIC_KEY,
  type Targets,
} from './attack-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** The actions that change nothing. */
const READING = ['inspect', 'find']

const FORM = 'application/x-www-form-urlencoded'

describeEachStore('forms that attackers send', (makeStore) => {
  let host: ConsoleHost
  let targets: Targets
  let writes: string[]
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startConsole({ store: watched.store, gatehouse: { privateKeyJwt: true } })
    targets = await createTargets(host)
    for (const person of ['acme', 'acme/nora', 'bob', 'root', 'root/nora']) {
      tokens.set(person, await csrfTokenOf(host, person))
    }
  })
  afterAll(() => host.close())

  const own = (isForOperators: boolean) => (isForOperators ? 'root' : 'acme')

  function send(person: string | undefined, path: string, init: RequestInit = {}) {
    const { browser } = host.visit(person)
    return browser.request(new URL(host.origin + path), { method: 'POST', ...init })
  }

  function encode(fields: Record<string, string | undefined>): string {
    const sent = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) sent.set(name, value)
    return sent.toString()
  }

  /** The requests with which an attacker tries to make a change, each with its expected status. */
  function attacks(person: string, path: string, fields: Record<string, string>) {
    const csrf = tokens.get(person)
    const full = { ...fields, csrf }
    const form = (body: string, headers: Record<string, string> = {}): RequestInit => ({
      body,
      headers: { 'content-type': FORM, ...headers },
    })
    const foreign = ['bob', `${person}/nora`].map((other) =>
      form(encode({ ...fields, csrf: tokens.get(other) })),
    )
    const multipart = new FormData()
    for (const [name, value] of Object.entries(full)) multipart.set(name, value ?? '')
    const rejected: [number, RequestInit][] = [
      [403, form(encode(fields))],
      [403, form(encode({ ...full, csrf: '' }))],
      [403, form(encode({ ...full, csrf: 'null' }))],
      [403, form(`${encode(full)}&csrf=x`)],
      [403, form(`${encode(full)}&csrf=${csrf}`)],
      [403, form(encode({ ...full, csrf: undefined, 'csrf[]': csrf }))],
      ...foreign.map((init): [number, RequestInit] => [403, init]),
      [403, form(encode(full), { 'sec-fetch-site': 'cross-site' })],
      [403, form(encode(full), { 'sec-fetch-site': 'same-site' })],
      [403, form(encode(full), { 'sec-fetch-site': 'none' })],
      [403, form(encode(full), { origin: 'https://evil.example' })],
      [403, form(encode(full), { origin: `${host.origin}.evil.example` })],
      [400, form(encode({ ...full, action: undefined }))],
      [400, form(`${encode(full)}&action=${fields['action']}`)],
      [400, form(encode({ ...full, action: 'constructor' }))],
      [400, form(encode({ ...full, action: '__proto__' }))],
      [415, { body: multipart }],
      [415, { body: JSON.stringify(full), headers: { 'content-type': 'application/json' } }],
      [415, { body: encode(full), headers: { 'content-type': 'text/plain' } }],
      [415, form(encode(full), { 'content-encoding': 'gzip' })],
      [413, form(`${encode(full)}&padding=${'x'.repeat(1_000_000)}`)],
      [403, { headers: { 'content-type': FORM } }],
      [403, {}],
    ]
    return { rejected, asGet: `${path}?${encode(full)}` }
  }

  it.each(ACTIONS)(
    'the form “$action” of $path changes nothing if it has no valid token, comes from another site, or is no form',
    async ({ path, action, isForOperators }) => {
      const person = own(isForOperators)
      const address = addressOf(path, targets)
      const { rejected, asGet } = attacks(person, address, { ...fieldsOf(action, targets), action })
      // What is not found is not changed; the other rejections must be those of the form.
      const { status: shown } = await host.visit(person).get(address)
      writes.length = 0
      for (const [status, init] of rejected) {
        const answer = await send(person, address, init)
        const body = typeof init.body === 'string' ? init.body.slice(0, 300) : typeof init.body
        const sent = `${JSON.stringify(init.headers)} ${body}`
        expect(answer.status, sent).toBe(shown === 404 ? 404 : status)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
      expect((await host.visit(person).get(asGet)).status).toBe(shown)
      const valid = { body: encode({ ...fieldsOf(action, targets), action, csrf: tokens.get(person) }) }
      const signedOut = await send(undefined, address, { ...valid, headers: { 'content-type': FORM } })
      expect(signedOut.status).toBe(401)
      expect(writes).toEqual([])
    },
  )

  // `removeOperations` needs the usage of 90 days: see `usage.test.ts`.
  it.each(ACTIONS.filter(({ action }) => ![...READING, 'removeOperations'].includes(action)))(
    'the form “$action” of $path makes its change with a valid token, so the attacks above fail for their reason',
    async ({ path, action, isForOperators }) => {
      const fresh = await createTargets(host, { isConnected: action === 'disconnect' })
      const isKey = path.startsWith('/api-keys')
      const service = isKey ? host.gatehouse.apiKeys : host.gatehouse.applications
      const clientId = isKey ? fresh.apiKey : fresh.application
      if (action === 'revokeSecret') await service.rotateSecret(clientId)
      if (action === 'revokeOldSecret') {
        const overlapSeconds = 30 * 86_400
        await daysAgo(10, () => host.gatehouse.apiKeys.rotateSecret(fresh.apiKey, { overlapSeconds }))
      }
      if (action === 'removeKey') await service.addKey(clientId, PUBLIC_KEY)
      if (action === 'enable') await service.disable(clientId)
      const person = own(isForOperators)
      const address = addressOf(path, fresh)
      const { body: page } = await host.visit(person).get(address)
      const version = /name="version"\s+value="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"')
      const createdAt = /which=old&amp;createdAt=(\d+)/.exec(page)?.[1]
      const form = { ...fieldsOf(action, fresh), action, csrf: tokens.get(person) }
      const fields = { ...form, ...(version && { version }), ...(createdAt && { createdAt }) }
      await host.gatehouse.audit.list({ limit: 1 })
      writes.length = 0
      const { status, body } = await send(person, address, {
        body: encode(fields),
        headers: { 'content-type': FORM, 'sec-fetch-site': 'same-origin' },
      })
      expect([200, 303], body).toContain(status)
      expect(writes).not.toEqual([])
    },
  )
})

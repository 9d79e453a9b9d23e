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
import { encode, form, send, wrongAnswers, type Attack } from './sent-forms.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** The actions that change nothing. The usage of 90 days that `removeOperations` needs is in `usage.test.ts`. */
const WITHOUT_CHANGE = ['inspect', 'find', 'removeOperations']

describe('each form of the console, as attackers send it', () => {
  let host: ConsoleHost
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore(), gatehouse: { privateKeyJwt: true } })
    for (const person of ['acme', 'acme/nora', 'root', 'root/nora']) {
      tokens.set(person, await csrfTokenOf(host, person))
    }
  })
  afterAll(() => host.close())

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
      const wrong = await wrongAnswers(host, person, address, rejected)
      const asGet = await host.visit(person).get(`${address}?${encode(full)}`)
      if (asGet.status !== page.status) wrong.push(`${asGet.status} for GET`)
      const signedOut = await send(host, undefined, address, form(encode(full)))
      if (signedOut.status !== 401) wrong.push(`${signedOut.status} for a person who is signed out`)
      expect(wrong).toEqual([])
      expect(await stateOf(host, targets)).toBe(before)

      const { status, body } = await send(host, person, address, form(encode(full)))
      if (WITHOUT_CHANGE.includes(action)) return
      expect([200, 303], body).toContain(status)
      expect(await stateOf(host, targets)).not.toBe(before)
    },
  )
})

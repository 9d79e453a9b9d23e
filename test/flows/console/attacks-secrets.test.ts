import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import type { Page } from '../../support/browser.ts'
import { findSecrets } from '../../support/find-secrets.ts'
import { addressOf, createTargets, PAGES, type Targets } from './attack-setup.ts'
import { credentialsOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** Records everything that is sent to a store. */
function recordCalls(inner: Store, calls: string[]): Store {
  return new Proxy(inner, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(`${name} ${JSON.stringify(args)}`)
        return Reflect.apply(member, target, args)
      }
    },
  })
}

describe('secrets and tokens', () => {
  let host: ConsoleHost
  let targets: Targets
  const calls: string[] = []
  const reports: string[] = []
  beforeAll(async () => {
    const report = (...what: unknown[]) =>
      void reports.push(inspect(what, { depth: 20, maxStringLength: null }))
    const logger = { debug: report, info: report, warn: report, error: report }
    host = await startConsole({ store: recordCalls(memoryStore(), calls), gatehouse: { logger } })
    for (const name of [
      'client.created',
      'client.changed',
      'client.compromised',
      'token.issued',
      'error',
    ] as const) {
      host.gatehouse.on(name, (event) => report(name, event))
    }
    host.app.on('error', report)
    targets = await createTargets(host)
  })
  afterAll(() => host.close())

  it('the secret of a new or rotated client, and an inspected token, are on one page only, and nowhere else', async () => {
    const secrets = new Map<string, string>()
    const answers: Page[] = []
    const visitor = host.visit('acme')
    const submit = async (page: Page, action: string, change: Record<string, string | string[]>) => {
      const answer = await visitor.submit(page, action, change)
      answers.push(answer)
      return answer
    }
    const form = await visitor.open('/console/api-keys/new')
    const created = await submit(form, 'create', {
      name: 'Secret',
      product: 'invoices',
      operation: 'invoices invoices:read',
    })
    const key = credentialsOf(created)
    secrets.set(key.client_secret, 'the secret of a new API key')
    const rotated = await submit(await visitor.open(`/console/api-keys/${key.client_id}`), 'rotateSecret', {})
    secrets.set(credentialsOf(rotated).client_secret, 'the rotated secret')
    const app = await submit(
      await visitor.open(`/console/applications/${targets.application}`),
      'rotateSecret',
      {},
    )
    secrets.set(credentialsOf(app).client_secret, 'the secret of an application')
    const token = String((await host.requestDirectToken(key)).body['access_token'])
    secrets.set(token.split('.').at(-1) ?? '', 'the signature of a token')
    const inspected = await submit(await visitor.open('/console/token-inspector'), 'inspect', { token })
    expect(inspected.status).toBe(200)
    secrets.set(token, 'a token')
    await submit(await visitor.open('/console/token-inspector'), 'inspect', { token: `${token}x` })

    for (const { url, headers } of answers) {
      expect(
        findSecrets([{ key: url.href, type: '', ttl: 0, values: [...headers].flat() }], secrets),
      ).toEqual([])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect(answers.filter(({ body }) => body.includes(token.split('.').at(-1) ?? ''))).toEqual([])
    const later = [`/console/api-keys/${key.client_id}`, `/console/api-keys/${key.client_id}/guide`]
    for (const path of [...PAGES.map((page) => addressOf(page.path, targets)), ...later]) {
      const person = path.startsWith('/console/operator') ? 'root' : 'acme'
      const { body } = await host.visit(person).get(path)
      expect(findSecrets([{ key: path, type: '', ttl: 0, values: [body] }], secrets)).toEqual([])
    }
    const { items } = await host.gatehouse.audit.list({ limit: 100 })
    const kept = {
      'the calls of the store': calls,
      'logs and events': reports,
      'the audit trail': items.map((item) => JSON.stringify(item)),
    }
    for (const [key, values] of Object.entries(kept)) {
      expect(values).not.toEqual([])
      expect(findSecrets([{ key, type: '', ttl: 0, values }], secrets)).toEqual([])
    }
  })

  it('a form that is sent again after its secret was reported as leaked does not show that secret', async () => {
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    const fields = { name: 'Leaked', product: 'invoices', operation: 'invoices invoices:read' }
    const first = credentialsOf(await visitor.submit(form, 'create', fields))
    await host.gatehouse.apiKeys.reportCompromised(first.client_id)
    const again = await visitor.submit(form, 'create', fields)
    expect(again.status).toBe(422)
    expect(again.body).not.toContain(first.client_secret)

    const rotation = await visitor.open(`/console/api-keys/${first.client_id}?confirm=rotateSecret`)
    const second = credentialsOf(await visitor.submit(rotation, 'rotateSecret'))
    expect((await host.requestDirectToken(second)).status).toBe(200)
    await host.gatehouse.apiKeys.reportCompromised(first.client_id)
    const repeated = await visitor.submit(rotation, 'rotateSecret')
    expect([repeated.status, repeated.body.includes(second.client_secret)]).toEqual([422, false])
  })
})

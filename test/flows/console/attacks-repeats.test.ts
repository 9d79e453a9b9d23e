import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { ACTIONS, addressOf, createTargets, csrfTokenOf, fieldsOf } from './attack-setup.ts'
import { credentialsOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

describe('forms that are sent twice, or from an old tab', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore(), gatehouse: { privateKeyJwt: true } })
  })
  afterAll(() => host.close())

  async function post(person: string, path: string, fields: Record<string, string>) {
    const csrf = await csrfTokenOf(host, person)
    return host.visit(person).browser.request(new URL(host.origin + path), {
      method: 'POST',
      body: new URLSearchParams({ ...fields, csrf }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    })
  }

  it('each form of a client can be sent twice, and after the client was deleted it gets 404', async () => {
    const wrong: unknown[] = []
    for (const { path, action, isForOperators } of ACTIONS) {
      if (isForOperators || !path.includes(':clientId')) continue
      const fresh = await createTargets(host, { isConnected: false })
      const address = addressOf(path, fresh)
      const fields = { ...fieldsOf(action, fresh), action }
      const [first, second] = [await post('acme', address, fields), await post('acme', address, fields)]
      // These forms have no version here, so they are rejected each time.
      const accepted = ['save', 'restrict'].includes(action) ? [422] : [200, 303]
      const repeated = action === 'delete' ? [404] : accepted
      if (action === 'rotateSecret') expect(credentialsOf(second)).toEqual(credentialsOf(first))
      if (action !== 'delete') {
        const isKey = path.startsWith('/api-keys')
        const service = isKey ? host.gatehouse.apiKeys : host.gatehouse.applications
        await service.delete(isKey ? fresh.apiKey : fresh.application)
      }
      const late = await post('acme', address, fields)
      const isRight =
        accepted.includes(first.status) &&
        repeated.includes(second.status) &&
        late.status === 404 &&
        late.headers.get('location') === null &&
        !/gatehouse_[\w-]{43}/.test(late.body)
      if (!isRight) wrong.push([path, action, first.status, second.status, late.status, late.body])
    }
    expect(wrong).toEqual([])
  })

  it('a request id gives its secret to one account, one user and one form only', async () => {
    const fresh = await createTargets(host, { isConnected: false })
    const request = randomUUID()
    const fields = {
      action: 'create',
      name: 'Once',
      product: 'invoices',
      operation: 'invoices invoices:read',
      request,
    }
    const path = '/console/api-keys/new'
    const rotation = { action: 'rotateSecret', overlap: 'day', request }
    const answers = [
      await post('acme', path, fields),
      await post('bob', path, fields),
      await post('acme/nora', path, fields),
      await post('acme', '/console/applications/new', fields),
      await post('acme', addressOf('/api-keys/:clientId/secrets', fresh), rotation),
      await post('acme', addressOf('/applications/:clientId/secrets', fresh), rotation),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const secrets = answers.map((answer) => credentialsOf(answer).client_secret)
    expect(new Set(secrets).size).toBe(answers.length)

    const again = await post('acme', path, fields)
    expect(credentialsOf(again)).toEqual(credentialsOf(answers[0]!))
    const other = await post('acme', path, { ...fields, name: 'Another' })
    expect([other.status, /gatehouse_[\w-]{43}/.test(other.body)]).toEqual([422, false])
    expect(other.body).toContain('This form was sent already with other content')
    for (const invalid of ['', 'a b', 'ü', 'x'.repeat(256)]) {
      expect((await post('acme', path, { ...fields, request: invalid })).status).toBe(422)
    }
  })

  it('forms that are sent ten times at once create one client, and all answers show the same secret or a conflict', async () => {
    const fields = {
      ...fieldsOf('create', { apiKey: '', application: '', kid: '' }),
      action: 'create',
      name: 'Crowd',
    }
    // The first page gives the browser its cookie.
    await csrfTokenOf(host, 'alice')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('alice', '/console/api-keys/new', fields)),
    )
    const shown = answers.filter(({ status }) => status === 200)
    expect(shown.length).toBeGreaterThan(0)
    expect(new Set(shown.map((answer) => credentialsOf(answer).client_secret)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 200).every(({ status }) => status === 409)).toBe(true)
    expect((await host.gatehouse.apiKeys.listByOwner('alice')).items).toHaveLength(1)
  })
})

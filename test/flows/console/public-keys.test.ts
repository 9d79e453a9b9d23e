import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Logger } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { asParameters, createClientKey, signAssertion, type ClientKey } from '../../support/client-keys.ts'
import { panelOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** What no page, no answer and no log may contain of a private key. */
const partsOf = ({ privatePem, privateJwk }: ClientKey) => [
  privatePem.split('\n')[1] ?? '',
  String(privateJwk.d),
]

describe('public keys in the console', () => {
  let host: ConsoleHost
  const logged: unknown[] = []
  beforeAll(async () => {
    const log = (...line: unknown[]) => void logged.push(line)
    const logger: Logger = { debug: log, info: log, warn: log, error: log }
    host = await startConsole({ store: memoryStore(), gatehouse: { privateKeyJwt: true, logger } })
  })
  afterAll(() => host.close())

  const tokenFor = async (clientId: string, key: ClientKey) =>
    host.token({
      client_id: clientId,
      grant_type: 'client_credentials',
      ...asParameters(await signAssertion(key, clientId, host.issuer)),
    })

  /** Creates an API key with public keys, and opens its page. */
  async function openKeyed(...keys: (string | object)[]) {
    const { apiKey } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Nightly export',
      products: ['invoices'],
      jwks: { keys },
    })
    const path = `/console/api-keys/${apiKey.clientId}`
    const visitor = host.visit('acme')
    return { clientId: apiKey.clientId, path, visitor, page: await visitor.open(`${path}/secrets`) }
  }

  it('an API key is created with a pasted key, gets no secret, and programs authenticate with the key', async () => {
    const key = await createClientKey()
    const visitor = host.visit('acme')
    for (const pasted of [key.pem, JSON.stringify({ ...key.jwk, kid: 'march' }, undefined, 2)]) {
      const form = await visitor.open('/console/api-keys/new')
      expect(textOf(form.body)).toContain('Paste a public key instead of getting a secret')
      const page = await visitor.submit(form, 'create', {
        name: 'Export',
        product: ['invoices'],
        key: pasted.replaceAll('\n', '\r\n'),
      })
      expect(page.status).toBe(200)
      expect(page.url.searchParams.get('done')).toBe('doneCreatedWithKey')
      expect(page.body).not.toContain('id="client-secret"')
      const clientId = page.url.pathname.split('/').at(-1) ?? ''
      const secrets = await visitor.open(`${page.url.pathname}/secrets`)
      expect(textOf(secrets.body)).toContain('There is no secret. Programs authenticate with a key.')
      expect(textOf(page.body)).not.toMatch(/No secret and no key|Programs get no tokens until/)
      expect((await tokenFor(clientId, key)).status).toBe(200)
    }
  })

  it('the panel lists the keys with id, type and times, and a key is added and removed', async () => {
    const [first, second] = [await createClientKey(), await createClientKey()]
    const { clientId, path, visitor, page } = await openKeyed({ ...first.jwk, kid: 'first' })
    expect(textOf(panelOf(page, 'keys'))).toMatch(/first EC · ES256 Added .* Not used yet/)
    expect(textOf(panelOf(page, 'keys'))).toContain('the Token inspector tells you')
    expect(panelOf(page, 'keys')).toContain('href="/console/token-inspector"')
    // The only key of a client without a secret cannot be removed.
    expect(panelOf(page, 'keys')).not.toContain('confirm=removeKey')
    expect(textOf(panelOf(page, 'keys'))).toContain('Programs authenticate with this key alone.')

    const added = await visitor.submit(page, 'addKey', {
      key: JSON.stringify({ ...second.jwk, kid: 'second' }),
    })
    expect(textOf(added.body)).toContain('The public key is added.')
    expect((await tokenFor(clientId, second)).status).toBe(200)
    const asked = await visitor.open(`${path}/secrets?confirm=removeKey&kid=first`)
    expect(textOf(asked.body)).toContain('Remove the public key first?')
    const removed = await visitor.submit(added, 'removeKey', { kid: 'first' })
    expect(textOf(removed.body)).toContain('The public key is removed.')
    expect((await host.gatehouse.apiKeys.listKeys(clientId)).map(({ kid }) => kid)).toEqual(['second'])
    expect((await tokenFor(clientId, first)).status).toBe(401)
    expect(textOf((await visitor.open(`${path}/activity`)).body)).toMatch(
      /Public key first removed .* Public key second added/,
    )
  })

  it('a pasted private key is rejected, and is neither shown nor logged nor stored', async () => {
    const key = await createClientKey()
    const { path, visitor, page } = await openKeyed((await createClientKey()).pem)
    for (const pasted of [
      key.privatePem,
      JSON.stringify(key.privateJwk),
      `{ ${JSON.stringify(key.privateJwk)}`,
    ]) {
      const form = await visitor.open('/console/api-keys/new')
      const fields = { name: 'Export', product: ['invoices'] }
      const answers = [
        await visitor.submit(form, 'create', { ...fields, key: pasted }),
        // Another mistake does not bring the key back either.
        await visitor.submit(form, 'create', { ...fields, name: '', product: [], key: pasted }),
        await visitor.submit(page, 'addKey', { key: pasted }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(422)
        expect(textOf(answer.body)).toMatch(/is a private key|is not a public key/)
        for (const part of partsOf(key)) expect(answer.body).not.toContain(part)
        expect(answer.body).toMatch(/<textarea\s+id="key"[^>]*aria-invalid="true"[^>]*><\/textarea>/)
      }
    }
    const text = JSON.stringify(logged)
    for (const part of partsOf(key)) expect(text).not.toContain(part)
    expect(textOf(panelOf(await visitor.open(`${path}/secrets`), 'keys')).match(/EC · ES256/g)).toHaveLength(
      1,
    )
  })

  it('a private key in the inspector leads its owner and operators to the report, and no other person', async () => {
    const key = await createClientKey()
    const { clientId, path, visitor } = await openKeyed(key.pem)
    const inspect = async (person: string, token: string) => {
      const form = await host.visit(person).open('/console/token-inspector')
      expect(textOf(form.body)).toContain('If a private key leaked, paste it here too.')
      const answer = await host.visit(person).submit(form, 'inspect', { token })
      for (const part of partsOf(key)) expect(answer.body).not.toContain(part)
      return answer
    }
    for (const pasted of [`\n${key.privatePem}`, JSON.stringify(key.privateJwk)]) {
      const foreign = await inspect('alice', pasted)
      expect(foreign.status).toBe(422)
      expect(textOf(foreign.body)).toContain('This is a private key, but it belongs to none of your API keys')
      expect(foreign.body).not.toContain(clientId)
      const own = await inspect('acme', pasted)
      expect(textOf(own.body)).toContain('This is the private key of a public key of Nightly export .')
      expect(own.body).toContain(`href="${path}/report-compromised"`)
      expect((await inspect('root', pasted)).body).toContain('confirm=reportCompromised')
    }
    // A public key is no secret.
    expect((await inspect('acme', key.pem)).status).toBe(422)

    const report = await visitor.open(`${path}/report-compromised`)
    expect(textOf(report.body)).toContain('All its secrets and public keys stop working at once.')
    const reported = await visitor.submit(report, 'reportCompromised')
    expect(textOf(reported.body)).toContain('All its secrets, public keys and tokens are revoked.')
    expect((await tokenFor(clientId, key)).status).toBe(401)
    expect(textOf((await inspect('acme', key.privatePem)).body)).toContain('This was a private key of')
    expect(JSON.stringify(logged)).not.toContain(partsOf(key)[0])
  })
})

describe('public keys in the console, for some hosts and callers', () => {
  const closing: (() => Promise<unknown>)[] = []
  afterAll(() => Promise.all(closing.map((close) => close())))
  const start = async (options: Omit<Parameters<typeof startConsole>[0], 'store'>) => {
    const host = await startConsole({ store: memoryStore(), ...options })
    closing.push(host.close)
    return host
  }

  it('without the option, no page offers a key, and a form with a key creates nothing', async () => {
    const host = await start({})
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    expect(form.body).not.toContain('name="key"')
    const { client_id: id } = await host.createApiKey()
    const page = await visitor.open(`/console/api-keys/${id}/secrets`)
    expect(panelOf(page, 'keys')).toBe('')
    expect((await visitor.get(`/console/api-keys/${id}/secrets?confirm=addKey`)).status).toBe(404)
    const { pem } = await createClientKey()
    const rejected = await visitor.submit(form, 'create', { name: 'X', product: ['invoices'], key: pem })
    expect(rejected.status).toBe(422)
    expect((await host.gatehouse.apiKeys.listByOwner('acme')).items).toHaveLength(1)
  })
})

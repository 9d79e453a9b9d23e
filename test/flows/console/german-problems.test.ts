import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Page } from '../../support/browser.ts'
import { createClientKey } from '../../support/client-keys.ts'
import { createPublicApplication } from '../../support/public-application.ts'
import { english, german } from '../../../src/parts/console/texts.ts'
import type { PageText } from '../../../src/http/pages/texts.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

let host: ConsoleHost
beforeEach(async () => {
  const gatehouse = { maxClientsPerAccount: 3, publicApplications: true, privateKeyJwt: true }
  host = await startConsole({ store: memoryStore(), gatehouse })
})
afterEach(async () => {
  vi.useRealTimers()
  await host.close()
})

const GERMAN = { 'accept-language': 'de' }

type ProblemName = keyof typeof german & `problem${string}`

type Fields = Record<string, string | string[]>

/** A text that has no plural forms. */
const sentenceOf = (text: PageText) => (typeof text === 'string' ? text : text.other)

/** Sends a form of a German page. */
async function send(path: string, action: string, fields: Fields = {}, person = 'acme'): Promise<Page> {
  const visitor = host.visit(person)
  return visitor.submit(await visitor.get(path, GERMAN), action, fields, GERMAN)
}

/** Expects a German text on a page, and no English sentence. */
function expectGerman({ status, body }: Page, name: ProblemName, values: Record<string, string> = {}) {
  const written = Object.entries(values).reduce(
    (text, [value, by]) => text.replace(`{${value}}`, by),
    sentenceOf(german[name]),
  )
  expect(status).toBe(422)
  expect(textOf(body)).toContain(written)
  expect(body).not.toContain('lang="en"')
  const sentences = Object.entries(english).flatMap(([each, text]) =>
    each.startsWith('problem') ? sentenceOf(text).replace(/\{.*/, '').trim() : [],
  )
  expect(sentences.filter((sentence) => sentence.length > 12 && textOf(body).includes(sentence))).toEqual([])
}

it('the form for a new key, and that for another name, reject a name in German', async () => {
  const { client_id: id } = await host.createApiKey()
  const cases: readonly [name: string, problem: ProblemName, values?: Record<string, string>][] = [
    [' ', 'problemRequired'],
    ['x'.repeat(121), 'problemTooLong', { max: '120' }],
    ['a\u202eb', 'problemCharacters'],
  ]
  for (const [name, problem, values] of cases) {
    const created = await send('/console/api-keys/new', 'create', { product: ['invoices'], name })
    expectGerman(created, problem, values)
    expectGerman(await send(`/console/api-keys/${id}`, 'save', { name }), problem, values)
  }
})

it('a wrong redirect URI is rejected in German', async () => {
  const { client_id: id } = await host.createApplication()
  const cases: readonly [uris: string, name: ProblemName, values?: Record<string, string>][] = [
    ['example', 'problemUrl'],
    ['ftp://a.example/', 'problemUrlHttps'],
    ['http://a.example/', 'problemUrlHttpsOrLoopback'],
    ['https://a.example/#x', 'problemUrlFragment'],
    ['https://*.example/', 'problemUrlWildcard'],
    ['https://me:secret@a.example/', 'problemUrlCredentials'],
    ['https://a.example/\u200b', 'problemUrlCharacters'],
    ['HTTPS://a.example/x', 'problemUrlSpelling', { expected: 'https://a.example/x' }],
    [`https://a.example/${'x'.repeat(2000)}`, 'problemTooLong', { max: '2.000' }],
    ['https://a.example/\r\nhttps://a.example/', 'problemDuplicate'],
    [
      Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`).join('\r\n'),
      'problemTooMany',
      { max: '20' },
    ],
    [
      Array.from({ length: 9 }, (_, at) => `https://a.example/${at}/${'x'.repeat(1950)}`).join('\r\n'),
      'problemUrlsTooLong',
      { max: '16.384' },
    ],
  ]
  for (const [redirectUris, name, values] of cases) {
    const fields = { name: 'Ledger', product: ['invoices'], redirectUris }
    expectGerman(await send('/console/applications/new', 'create', fields), name, values)
    const saved = await send(`/console/applications/${id}/settings`, 'save', { redirectUris })
    expectGerman(saved, name, values)
  }
})

it('a wrong redirect URI of a public application is rejected in German', async () => {
  const id = await createPublicApplication(host)
  for (const [redirectUris, name] of [
    ['myapp:/callback', 'problemUrlRedirect'],
    ['https://localhost/callback', 'problemUrlHttp'],
  ] as const) {
    const fields = { name: 'Ledger', kind: 'public', product: ['invoices'], redirectUris }
    expectGerman(await send('/console/applications/new', 'create', fields), name)
    expectGerman(await send(`/console/applications/${id}/settings`, 'save', { redirectUris }), name)
  }
})

it('the origins and the redirect URIs of a public first-party application are rejected in German', async () => {
  const uri = 'https://ledger.example/callback'
  const id = await createPublicApplication(host, { redirectUris: [uri], firstParty: true })
  const path = `/console/applications/${id}/settings`
  expectGerman(await send(path, 'save', { origins: 'ledger' }), 'problemOrigin')
  const redirectUris = 'http://127.0.0.1/callback'
  expectGerman(await send(path, 'save', { redirectUris }), 'problemFirstParty')
})

it('keys that cannot be used are rejected in German', async () => {
  const key = await createClientKey()
  const other = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const fields = { name: 'Ledger', product: ['invoices'] }
  const { client_id: id } = await host.createApiKey()
  for (const [pasted, name] of [
    [key.privatePem, 'problemPrivateKey'],
    ['no key', 'problemPublicKey'],
    [other.publicKey, 'problemKeyType'],
  ] as const) {
    expectGerman(await send('/console/api-keys/new', 'create', { ...fields, key: pasted }), name)
    expectGerman(await send(`/console/api-keys/${id}`, 'addKey', { key: pasted }), name)
  }
  const both = { ...fields, kind: 'public', key: key.pem }
  expectGerman(await send('/console/applications/new', 'create', both), 'problemPublicApplication')
})

it('the page of a client rejects unknown products, operations and times in German', async () => {
  const { client_id: id } = await host.createApiKey(['invoices'])
  const ofKey = `/console/api-keys/${id}`
  for (const action of ['addProduct', 'removeProduct'])
    expectGerman(await send(`${ofKey}/access`, action, { product: 'nothing' }), 'problemNotFound')
  const path = `${ofKey}/secrets`
  expectGerman(await send(path, 'rotateSecret', { overlap: 'never' }), 'problemChoice')
  const visitor = host.visit('acme')
  const page = await visitor.get(path, GERMAN)
  expect((await visitor.submit(page, 'rotateSecret', { overlap: 'hour' }, GERMAN)).status).toBe(200)
  const again = { overlap: 'hour', request: 'another-request' }
  expectGerman(await visitor.submit(page, 'rotateSecret', again, GERMAN), 'problemConflict')
})

it('a form that is too old, and one too many clients, are rejected in German', async () => {
  const fields = { name: 'One more', product: ['invoices'] }
  const visitor = host.visit('acme')
  const page = await visitor.get('/console/api-keys/new', GERMAN)
  vi.useFakeTimers({ now: Date.now() + 25 * 3_600_000, toFake: ['Date'] })
  expectGerman(await visitor.submit(page, 'create', fields, GERMAN), 'problemFormExpired')
  vi.useRealTimers()
  for (let at = 0; at < 3; at += 1) await host.createApiKey()
  expectGerman(await send('/console/api-keys/new', 'create', fields), 'problemTooManyClients')
})

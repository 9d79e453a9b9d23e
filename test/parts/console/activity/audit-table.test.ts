import { expect, it } from 'vitest'
import type { ApiKey, AuditEntry } from 'koa-gatehouse'
import { createCatalog } from '../../../../src/catalog/create-catalog.ts'
import { auditTable } from '../../../../src/parts/console/activity/audit-table.ts'
import { findPeople } from '../../../../src/parts/console/activity/people.ts'
import { createReaders } from '../../../../src/parts/console/reader-formats.ts'
import { createConsoleTexts } from '../../../../src/parts/console/texts.ts'
import { silentLogger } from '../../../../src/host/logger.ts'
import { kycLevels, products } from '../../../fixtures/products.ts'

const texts = createReaders()(
  createConsoleTexts({ texts: {}, defaultLocale: 'en', logger: silentLogger }).forReader(['en']),
)
const call = {
  texts,
  caller: { accountId: 'acme', actor: 'acme', isSession: true },
  to: (path: string) => path,
  has: () => true,
}
const catalog = { current: createCatalog(products, { kycLevels }) }
const key = { kind: 'apiKey', clientId: 'key_1', accountId: 'acme', name: 'Nightly' } as ApiKey
const entry = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
  id: 'x',
  at: 0,
  name: 'client.created',
  outcome: 'success',
  kind: 'apiKey',
  clientId: 'key_1',
  accountId: 'acme',
  ...fields,
})
const people = await findPeople({ find: async () => undefined }, [])
const show = (entries: AuditEntry[], options: object = {}) =>
  auditTable(call, entries, { catalog, people, ...options }).toString()

it('a client of the caller is linked by its name, a client of another account is not linked', () => {
  expect(show([entry()], { clients: new Map([['key_1', key]]) })).toContain('href="/api-keys/key_1"')
  const foreign = show([entry()], { clients: new Map([['key_1', { ...key, accountId: 'bob' }]]) })
  expect(foreign).toContain('Nightly')
  expect(foreign).not.toContain('href')
})

it('a client that was deleted is shown by the name that the trail has', () => {
  const shown = show([entry()], { clients: new Map(), deleted: new Map([['key_1', 'Nightly']]) })
  expect(shown).toContain('Nightly')
  expect(shown).not.toMatch(/key_1|href/)
})

it('a client that was deleted and has no name in the trail is shown by its id, without a link', () => {
  const shown = show([entry()], { clients: new Map() })
  expect(shown).toContain('key_1')
  expect(shown).not.toContain('href')
})

it('the page of one client does not name the client in each row', () => {
  expect(show([entry()])).not.toContain('key_1')
})

it('names of operators, of programs of the host and of users of other accounts are for operators only', () => {
  const origin = { address: '192.0.2.7', userAgent: 'curl/8' }
  const entries = [
    entry({ actor: 'root', ...origin }),
    entry({ actor: 'billing job', ...origin }),
    entry({ name: 'consent.approved', accountId: 'bob', userId: 'zoe', ...origin }),
  ]
  const shown = show(entries)
  expect(shown).not.toMatch(/root|billing|bob|zoe|192\.0\.2\.7|curl/)
  expect(shown.match(/the service|a user/g)).toEqual(['the service', 'the service', 'a user'])
  const complete = show(entries, { isForOperators: true })
  for (const name of ['root', 'billing job', 'bob/zoe', '192.0.2.7', 'curl/8']) {
    expect(complete).toContain(name)
  }
})

it('an entry that covers several equal acts says how many, and from when to when', () => {
  const shown = show([entry({ name: 'client.changed', change: 'name', count: 29, until: 60_000 })])
  expect(shown).toContain('29 times')
  expect(shown.match(/ – /g)).toHaveLength(1)
  expect(show([entry()])).not.toMatch(/times| – /)
  const quick = show([
    entry({ name: 'client.changed', change: 'name', count: 29, at: 59_000, until: 60_000 }),
  ])
  expect(quick).toContain('29 times')
  expect(quick).not.toContain(' – ')
})

it('operators get links to the clients and accounts', () => {
  const shown = show([entry({ accountId: 'a/b' })], { clients: new Map(), isForOperators: true })
  expect(shown).toContain('href="/operator/clients/key_1"')
  expect(shown).toContain('href="/operator/accounts/a%2Fb"')
})

it('scopes of OpenID Connect are shown in words', () => {
  const scopes = ['openid', 'profile', 'invoices:read', 'old:scope']
  const shown = show([entry({ name: 'consent.approved', scopes })])
  expect(shown).toContain(
    'Allowed: <bdi>Know who you are, See your profile, such as your name and picture, Read your invoices, and old:scope',
  )
})

it('short names and addresses stay on one line, and long ones may break anywhere', () => {
  const names = show([
    entry({ actor: 'acme/ann', address: '192.0.2.7' }),
    entry({ actor: `acme/${'x'.repeat(90)}` }),
  ])
  expect(names).toContain('<bdi class="whole" title="acme/ann">ann</bdi>')
  expect(names).toMatch(/class="small whole" dir="ltr">192\.0\.2\.7</)
  expect(names).toMatch(/<bdi {2}title="acme\/x{20}/)
})

it('a long list of operations is cut, with the number of the others', () => {
  const added = Array.from({ length: 100 }, (_, at) => `invoices/op${at}`)
  const shown = show([entry({ name: 'catalog.reloaded', added, clientId: undefined })])
  expect(shown).toContain('invoices/op5')
  expect(shown).not.toContain('invoices/op6')
  expect(shown).toContain('94 more')
})

it('an entry without an actor shows what can have caused it', () => {
  expect(show([entry({ name: 'key.activated' })])).toContain('automatic')
  expect(show([entry({ name: 'consent.approved', userId: 'ann' })])).toContain('acme/ann')
  expect(show([entry({ name: 'token.revoked', reason: 'client-revoked-token' })])).toContain(
    'the program itself',
  )
  expect(show([entry({ name: 'code.reused', outcome: 'failure' })])).toContain('unknown')
  expect(show([entry({ name: 'client.expired', target: '2030-01-01T00:00:00Z' })])).toContain('automatic')
  expect(show([entry()])).toContain('the service')
})

it('changed fields have a line each with the old and the new value in words, escaped, and a list or a limit reads as one', () => {
  const line = (change: string, before: object, after: object, more: object = {}) =>
    show([entry({ name: 'client.changed', change, before: { ...before }, after: { ...after }, ...more })])
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
  expect(line('name', { name: '<b>' }, { name: 'New' })).toContain('name: &lt;b&gt; → New')
  const expiresAt = '2030-01-01T00:00:00Z'
  expect(line('expiresAt,homepageUri', { expiresAt }, { homepageUri: 'https://a.example' })).toMatch(
    /expiry: Dec 31, 2029 → never ?home page: none → https:\/\/a\.example/,
  )
  expect(line('limits', {}, { limits: { perMinute: 10, perDay: 90 } })).toContain(
    'limits: none → 10 a minute and 90 a day',
  )
  expect(line('products', { products: ['invoices', 'gone'] }, { products: [] })).toContain(
    'products: Invoices and gone → none',
  )
  expect(line('owner', {}, {}, { userId: 'ann' })).toContain('Handed over: ann → The account')
  expect(line('owner', {}, {}, { target: 'bea', erased: true })).toContain('Handed over: erased → bea')
})

it('what takes access away says so in words', () => {
  for (const removal of [
    { name: 'client.deleted' },
    { change: 'secret.revoked', target: 'old' },
    { change: 'allowedAddresses', revokedTokens: true },
  ] as const) {
    expect(show([entry({ name: 'client.changed', ...removal })])).toContain('Removes access')
  }
  expect(show([entry(), entry({ name: 'client.changed', change: 'name' })])).not.toContain('Removes access')
})

it('who did it and from where are one cell, so that no cell is empty', () => {
  const shown = show([entry(), entry({ actor: 'acme/ann', address: '192.0.2.7', userAgent: 'curl/8' })])
  expect(shown).not.toMatch(/<td[^>]*>\s*<\/td>/)
  expect(shown.match(/<th scope="col"/g)).toHaveLength(3)
})

import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createLeakReports } from 'koa-gatehouse/leak-reports'
import { reporterKey } from './reporter.ts'

const gatehouse = createGatehouse({
  issuer: 'https://example.com/auth',
  audience: 'https://example.com/api',
  secret: 'a secret for tests, long enough to be one',
  store: memoryStore(),
  products: {},
  accounts: { find: () => undefined, current: () => undefined, signInUrl: () => '/sign-in' },
})
const { id, key, privateKey } = reporterKey('first')

it.each([
  [{ path: 'leaks' }, 'path'],
  [{ keysUrl: 'http://code.example/keys' }, 'keysUrl'],
  [{ keysUrl: 7 }, 'keysUrl'],
  [{ keys: [] }, 'keys'],
  [{ keys: [{ id, key: 'no PEM' }] }, 'keys[0].key'],
  [{ keys: [{ id, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }] }, 'keys[0].key'],
  [{ keys: [{ id, key: p384() }] }, 'keys[0].key'],
  [{ keys: [{ id: '', key }] }, 'keys[0].id'],
  [{ verify: true }, 'verify'],
  [{ token: 'x' }, 'token'],
])('the options %j are rejected', (options, path) => {
  expect(() => createLeakReports(gatehouse, options as object)).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [expect.objectContaining({ path })],
    }),
  )
})

it('only one of keys, keysUrl and verify is allowed, and only a gatehouse is accepted', () => {
  const both = { keys: [{ id, key }], verify: () => true }
  expect(() => createLeakReports(gatehouse, both)).toThrow('at most one of keysUrl, keys and verify')
  expect(() => createLeakReports({} as never)).toThrow('createLeakReports() takes a gatehouse')
})

function p384(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

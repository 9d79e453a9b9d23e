import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createClientKey } from '../../support/client-keys.ts'
import { LOOPBACK } from '../../support/public-application.ts'
import { startManagement, type ManagementHost } from './setup.ts'

/** A new key pair, in the forms in which people have it. @param kid the id in the JWKs */
async function keyPair(kid: string) {
  const { jwk, privateJwk, pem, privatePem } = await createClientKey()
  return { publicJwk: { ...jwk, kid }, privateJwk: { ...privateJwk, kid }, publicPem: pem, privatePem }
}

const OPTIONS = { publicApplications: true, privateKeyJwt: true }
const KINDS = [
  ['/api-keys', 'apiKey', 'keys'],
  ['/applications', 'application', 'applications'],
] as const

describe('the public keys of a client in the management API', () => {
  let host: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: memoryStore(), gatehouse: OPTIONS })
  })
  afterAll(() => host.close())

  it.each(KINDS)('a client below %s is created with a key and without a secret', async (base, kind) => {
    const { call } = host.api('acme')
    const { publicJwk } = await keyPair('first')
    const { publicPem } = await keyPair('second')
    const created = await call(`POST ${base}`, { name: 'Export', jwks: { keys: [publicJwk, publicPem] } })
    expect(created.status).toBe(201)
    expect(Object.keys(created.body)).toEqual([kind])
    const client = created.body[kind]
    expect(client.keys).toEqual(['first', expect.stringMatching(/^[\w-]{43}$/)])
    expect(client).not.toHaveProperty('jwks')
    expect((await call(`GET ${base}/${client.clientId}/secrets`)).body).toEqual({ items: [] })
    const { items } = (await call(`GET ${base}/${client.clientId}/keys`)).body
    expect(items).toEqual([
      { kid: 'first', kty: 'EC', createdAt: client.createdAt },
      { kid: client.keys[1], kty: 'EC', createdAt: client.createdAt },
    ])
    expect(JSON.stringify(created.body)).not.toContain(publicJwk.x)
  })

  it.each(KINDS)(
    'keys below %s are added and removed, and the ETag changes with them',
    async (base, kind) => {
      const { call } = host.api('acme')
      const created = await call(`POST ${base}`, { name: 'Export' })
      const path = `${base}/${created.body[kind].clientId}`
      const first = await keyPair('first')
      const added = await call(`POST ${path}/keys`, { key: first.publicJwk })
      expect(added.status).toBe(200)
      expect(added.body.keys).toEqual(['first'])
      const etag = added.headers.get('etag') ?? ''
      expect(etag).not.toBe(created.headers.get('etag'))

      const stale = { 'if-match': created.headers.get('etag') ?? '' }
      for (const [target, body] of [
        [`POST ${path}/keys`, { key: (await keyPair('second')).publicPem }],
        [`DELETE ${path}/keys/first`, undefined],
      ] as const) {
        const rejected = await call(target, body, stale)
        expect([target, rejected.status, rejected.body.code]).toEqual([target, 412, 'ERR_CHANGED'])
      }
      const second = await call(
        `POST ${path}/keys`,
        { key: (await keyPair('second')).publicPem },
        { 'if-match': etag },
      )
      expect(second.body.keys).toHaveLength(2)
      // The same key again changes nothing. Another key with its id is rejected, and the answer names the field.
      expect((await call(`POST ${path}/keys`, { key: first.publicJwk })).body.keys).toEqual(second.body.keys)
      const taken = await call(`POST ${path}/keys`, { key: (await keyPair('first')).publicJwk })
      expect(taken.status).toBe(409)
      expect(taken.body).toMatchObject({
        code: 'ERR_CONFLICT',
        detail: 'another key of the client has the id "first"; give the new key another kid',
        errors: [{ path: 'key', code: 'duplicate' }],
      })

      const removed = await call(`DELETE ${path}/keys/first`)
      expect(removed.status).toBe(200)
      expect(removed.body.keys).toEqual([second.body.keys[0]])
      expect((await call(`DELETE ${path}/keys/first`)).body.keys).toEqual(removed.body.keys)
    },
  )

  it('a private key is rejected, and neither the answer nor the store has it', async () => {
    const { call } = host.api('acme')
    const { body } = await call('POST /api-keys', { name: 'Export' })
    const { privateJwk, privatePem } = await keyPair('secret')
    for (const key of [privateJwk, privatePem]) {
      for (const [target, sent, path] of [
        [`POST /api-keys/${body.apiKey.clientId}/keys`, { key }, 'key'],
        ['POST /api-keys', { name: 'Export', jwks: { keys: [key] } }, 'jwks.keys[0]'],
      ] as const) {
        const rejected = await call(target, sent)
        expect(rejected.status).toBe(422)
        expect(rejected.body).toMatchObject({
          code: 'ERR_INVALID_ARGUMENT',
          errors: [{ path, code: 'private-key' }],
        })
        const answer = JSON.stringify(rejected.body)
        expect(answer).not.toContain(privateJwk.d)
        expect(answer).not.toContain(privatePem.split('\n')[1])
      }
    }
    expect((await call(`GET /api-keys/${body.apiKey.clientId}/keys`)).body).toEqual({ items: [] })
  })

  it('a leaked private key is reported like a secret', async () => {
    const { call } = host.api('acme')
    const { privatePem, publicPem } = await keyPair('leaked')
    const { body } = await call('POST /api-keys', { name: 'Export', jwks: { keys: [publicPem] } })
    const { clientId } = body.apiKey
    const report = { secret: privatePem, leakSource: 'commit' }
    expect((await host.api('bob').call('POST /secrets/report-leaked', report)).status).toBe(404)
    const reported = await call('POST /secrets/report-leaked', report)
    expect(reported.body).toEqual({ kind: 'apiKey', clientId, wasValid: true })
    expect((await call(`GET /api-keys/${clientId}`)).body).toMatchObject({ noToken: 'compromised' })
    expect((await call(`GET /api-keys/${clientId}/keys`)).body).toEqual({ items: [] })
    const long = await call('POST /secrets/report-leaked', { secret: 'x'.repeat(10_001) })
    expect([long.status, long.body.errors[0].code]).toEqual([422, 'too-long'])
  })
})

it('a leaked private key is revoked only if the caller may report all clients of the account that have it', async () => {
  let forbidden = ''
  const host = await startManagement({
    store: memoryStore(),
    gatehouse: OPTIONS,
    accounts: { can: (_ctx, _permission, { clientId }) => clientId !== forbidden },
  })
  const { call } = host.api('acme')
  const { privatePem, publicPem } = await keyPair('shared')
  const jwks = { keys: [publicPem] }
  const first = (await call('POST /api-keys', { name: 'One', jwks })).body.apiKey.clientId
  const second = (await call('POST /applications', { name: 'Two', jwks })).body.application.clientId
  for (forbidden of [first, second]) {
    expect((await call('POST /secrets/report-leaked', { secret: privatePem })).status).toBe(403)
    for (const path of [`/api-keys/${first}/keys`, `/applications/${second}/keys`])
      expect((await call(`GET ${path}`)).body.items ?? [{}]).toHaveLength(1)
  }
  forbidden = ''
  expect((await call('POST /secrets/report-leaked', { secret: privatePem })).status).toBe(200)
  expect((await call(`GET /applications/${second}/keys`)).body).toEqual({ items: [] })
  await host.close()
})

describe('public applications in the management API', () => {
  let host: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: memoryStore(), gatehouse: OPTIONS })
  })
  afterAll(() => host.close())

  it('a public application is created without a secret, and its origins can be changed', async () => {
    const { call } = host.api('acme')
    const created = await call('POST /applications', {
      name: 'Ledger',
      isPublic: true,
      redirectUris: [LOOPBACK, 'com.example.ledger:/callback'],
      origins: ['http://localhost:5173'],
    })
    expect(created.status).toBe(201)
    expect(Object.keys(created.body)).toEqual(['application'])
    const { application } = created.body
    expect(application).toMatchObject({ isPublic: true, origins: ['http://localhost:5173'] })
    const path = `/applications/${application.clientId}`
    const changed = await call(`PATCH ${path}`, { origins: ['https://app.example.com'] })
    expect(changed.body.origins).toEqual(['https://app.example.com'])
    expect((await call(`PATCH ${path}`, { isPublic: false })).body).toMatchObject({
      code: 'ERR_INPUT',
      errors: [{ path: 'isPublic', code: 'unknown' }],
    })
  })
})

describe('keys and public applications without their options, and for other callers', () => {
  let host: ManagementHost
  let guarded: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: memoryStore() })
    guarded = await startManagement({
      store: memoryStore(),
      gatehouse: OPTIONS,
      accounts: {
        can: (_ctx, permission) => permission !== 'keys:rotate' && permission !== 'applications:rotate',
      },
    })
  })
  afterAll(() => Promise.all([host.close(), guarded.close()]))

  it('without the options, the service rejects public applications and keys', async () => {
    const { call } = host.api('acme')
    const isPublic = await call('POST /applications', { name: 'Ledger', isPublic: true })
    expect([isPublic.status, isPublic.body.errors]).toMatchObject([
      422,
      [{ path: 'isPublic', code: 'not-allowed' }],
    ])
    const { publicJwk } = await keyPair('one')
    const withKey = await call('POST /api-keys', { name: 'Export', jwks: { keys: [publicJwk] } })
    expect([withKey.status, withKey.body.errors]).toMatchObject([
      422,
      [{ path: 'jwks.keys[0]', code: 'not-allowed' }],
    ])
    const { body } = await call('POST /api-keys', { name: 'Export' })
    const added = await call(`POST /api-keys/${body.apiKey.clientId}/keys`, { key: publicJwk })
    expect([added.status, added.body.errors]).toMatchObject([422, [{ path: 'key', code: 'not-allowed' }]])
    expect((await call('GET /applications')).body).toEqual({ items: [] })
  })

  it('changes of keys need the permission to rotate, reads need the permission to read', async () => {
    const { call } = guarded.api('acme')
    const { body } = await call('POST /api-keys', { name: 'Export' })
    const path = `/api-keys/${body.apiKey.clientId}`
    const attempts = [
      await call(`POST ${path}/keys`, { key: (await keyPair('one')).publicJwk }),
      await call(`DELETE ${path}/keys/one`),
    ]
    expect(attempts.map(({ status, body: { code } }) => [status, code])).toEqual([
      [403, 'ERR_FORBIDDEN'],
      [403, 'ERR_FORBIDDEN'],
    ])
    expect((await call(`GET ${path}/keys`)).body).toEqual({ items: [] })
    expect((await guarded.api('bob').call(`GET ${path}/keys`)).status).toBe(404)
  })
})

import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/gatehouse/internals.ts'
import {
  CLIENT_ID,
  documentOf,
  POLICY,
  startHostWithDocuments,
  VENDOR,
} from '../../support/client-document.ts'
import { asParameters, createClientKey, signAssertion } from '../../support/client-keys.ts'
import type { Document, DocumentHost } from '../../support/document-host.ts'
import { authorizationUrl, type Host } from '../../support/host.ts'
import { fromManyAddresses } from '../../support/from-many-addresses.ts'
import { authorizePublic, connectPublic, createPkce } from '../../support/public-application.ts'

const CALLBACK = 'http://127.0.0.1:51004/callback'

describe('documents that are rejected', () => {
  let host: Host
  let documents: DocumentHost
  beforeAll(async () => {
    const noLoopback = { match: 'https://web.example.com/*', products: ['invoices'] }
    const everyHost = { ...POLICY, match: 'https://*' }
    ;({ host, documents } = await startHostWithDocuments(memoryStore(), {
      gatehouse: { clientDocuments: [noLoopback, everyHost] },
      above: [fromManyAddresses()],
    }))
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  let count = 0
  /** Publishes a document at a host of its own, because requests to one host are bounded. */
  function publish(create: (clientId: string) => Document): string {
    const clientId = `https://h${(count += 1)}.example.com/client.json`
    documents.serve(clientId, create(clientId))
    return clientId
  }

  /** Sends an authorization request and a token request. */
  async function attempt(clientId: string, redirect_uri = CALLBACK) {
    const parameters = { redirect_uri, ...createPkce().challenge }
    const page = await host.browser().open(authorizationUrl(host, clientId, parameters))
    const token = await host.token({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'x' })
    return { page, token }
  }

  async function expectRejected(clientId: string, problem: string, redirectUri?: string) {
    const { page, token } = await attempt(clientId, redirectUri)
    expect(page.status).toBe(400)
    expect(page.body).toContain('invalid_client')
    expect(page.body).toContain(problem)
    expect([token.status, token.body]).toEqual([
      401,
      { error: 'invalid_client', error_description: expect.stringContaining(problem) as string },
    ])
  }

  it('documents with wrong members', async () => {
    for (const [problem, changes] of [
      ['has another client_id than its address', { client_id: CLIENT_ID }],
      ['has another client_id than its address', { client_id: undefined }],
      ['must not have client_secret', { client_secret: 'x' }],
      ['must not have client_secret_expires_at', { client_secret_expires_at: 0 }],
      ['must not use a secret', { token_endpoint_auth_method: 'client_secret_post' }],
      ['must have one of these methods', { token_endpoint_auth_method: 'tls_client_auth' }],
      ['must have one of these methods', { token_endpoint_auth_method: 'private_key_jwt' }],
      ['has a client_name that cannot be used', { client_name: undefined }],
      ['at most 120 characters', { client_name: 'a'.repeat(4000) }],
      ['reverse the direction of text', { client_name: 'Agent\u202e' }],
      ['without a visible character', { client_name: '\u2800\u2800' }],
      ['must have redirect_uris', { redirect_uris: [] }],
      [
        'must have redirect_uris',
        { redirect_uris: ['javascript:alert(1)', 'agent://x', 'http://example.com/', 7] },
      ],
    ] as const) {
      await expectRejected(
        publish((clientId) => documentOf(clientId, changes)),
        problem,
      )
    }
  })

  it('keys that are private, of another type, or at two places', async () => {
    const { jwk, privateJwk } = await createClientKey()
    const method = { token_endpoint_auth_method: 'private_key_jwt' }
    const of = (changes: object) => publish((clientId) => documentOf(clientId, { ...method, ...changes }))
    await expectRejected(of({ jwks: { keys: [privateJwk] } }), 'has a private key')
    await expectRejected(
      of({ jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] } }),
      'has no key for ES256',
    )
    await expectRejected(of({ jwks: { keys: [jwk] }, jwks_uri: `https://${VENDOR}/k` }), 'must not have both')
    await expectRejected(of({ jwks_uri: `http://${VENDOR}/k` }), 'has a jwks_uri that does not start with')
    await expectRejected(of({ jwks_uri: `https://${VENDOR}/missing` }), 'the JWK Set at jwks_uri')
  })

  it('documents that are too large, redirects, no JSON, or missing', async () => {
    const answers: Document[] = [
      documentOf(CLIENT_ID, { more: 'x'.repeat(6000) }),
      (_request, response) => void response.writeHead(302, { location: CLIENT_ID }).end(),
      (_request, response) => void response.end('<html>'),
      (_request, response) => void response.writeHead(404).end(),
    ]
    for (const answer of answers) {
      await expectRejected(
        publish(() => answer),
        'cannot be used',
      )
    }
  })

  it('addresses that are no client ids, and nothing is fetched', async () => {
    documents.forget()
    for (const [clientId, problem] of [
      [`https://${VENDOR}/`, 'client_id must have a path'],
      [`https://${VENDOR}`, 'client_id must have a path'],
      [`https://${VENDOR}/a/../b.json`, 'written the way that browsers write it'],
      [`https://${VENDOR.toUpperCase()}/a.json`, 'written the way that browsers write it'],
      [`https://user@${VENDOR}/a.json`, 'must not contain a user name'],
      [`https://${VENDOR}/a.json#b`, 'must not have a fragment'],
      [`https://${VENDOR}/${'a'.repeat(1024)}`, 'at most 1024 characters'],
      ['https://shared.example.com/a/..%2Fevil.json', 'must not have an encoded slash'],
      ['https://shared.example.com/a%5c..%5cevil.json', 'must not have an encoded slash'],
    ] as const) {
      await expectRejected(clientId, problem)
    }
    expect(documents.resolved).toEqual([])
  })

  it('a document that no policy covers, and nothing is fetched', async () => {
    const closed = await startHostWithDocuments(memoryStore())
    const ids = [
      'https://stranger.example.net/client.json',
      `https://${VENDOR}.example.net/client.json`,
      `https://${VENDOR}:8443/client.json`,
    ]
    for (const clientId of ids) {
      const answer = await closed.host.token({ client_id: clientId, grant_type: 'refresh_token' })
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(answer.body['error_description']).toContain('this service accepts no documents of')
    }
    expect(closed.documents.resolved).toEqual([])
    await closed.host.close()
    await closed.documents.close()
  })

  it('redirects to the computer of the user, unless the policy accepts them', async () => {
    const clientId = 'https://web.example.com/client.json'
    documents.serve(clientId, documentOf(clientId))
    await expectRejected(clientId, 'all redirect_uris lead to the computer of the user')
    const web = 'https://web.example.com/callback'
    documents.serve(clientId, documentOf(clientId, { redirect_uris: ['http://127.0.0.1/callback', web] }))
    const service = await internalsOf(host.gatehouse, 'test').documents?.()
    await service?.documents.put(
      clientId,
      (before) => before && { ...before, fetchedAt: before.fetchedAt - 11 },
    )
    const { page } = await attempt(clientId)
    expect(page.status).toBe(400)
    expect((await attempt(clientId, web)).page.status).toBe(200)
  })

  it('a request without PKCE, also of a client with a key', async () => {
    const key = await createClientKey()
    const jwks = { keys: [key.jwk] }
    for (const changes of [{}, { token_endpoint_auth_method: 'private_key_jwt', jwks }]) {
      const clientId = publish((id) => documentOf(id, changes))
      const page = await host.browser().open(authorizationUrl(host, clientId, { redirect_uri: CALLBACK }))
      expect(page.body).toContain('requires PKCE')
    }
  })

  it('a client with a key may not go without it, and a key does not open the client of another document', async () => {
    const [own, foreign] = [await createClientKey(), await createClientKey()]
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [own.jwk] } }
    const clientId = publish((id) => documentOf(id, method))
    const { exchange } = await authorizePublic(host, clientId)
    const assertion = await signAssertion(foreign, clientId, host.issuer)
    for (const form of [exchange, { ...exchange, ...asParameters(assertion) }]) {
      expect((await host.token(form)).body['error']).toBe('invalid_client')
    }
  })

  it('client credentials and introspection', async () => {
    const clientId = publish((id) => documentOf(id))
    const { access_token: token } = await connectPublic(host, clientId)
    const direct = await host.token({ client_id: clientId, grant_type: 'client_credentials' })
    expect([direct.status, direct.body['error']]).toEqual([400, 'unauthorized_client'])
    const introspected = await host.post('/oauth2/introspect', { client_id: clientId, token })
    expect(introspected.status).toBe(401)
  })
})

import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, POLICY, startHostWithDocuments } from '../../support/client-document.ts'
import { asParameters, createClientKey, signAssertion } from '../../support/client-keys.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import type { Host } from '../../support/host.ts'
import { authorizePublic, connectPublic } from '../../support/public-application.ts'

describe('tokens of a client with a metadata document', () => {
  let host: Host
  let documents: DocumentHost
  beforeAll(async () => {
    ;({ host, documents } = await startHostWithDocuments(memoryStore(), {
      gatehouse: { clientDocuments: [{ ...POLICY, match: 'https://*' }] },
    }))
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  let count = 0
  function publish(changes: object = {}): string {
    const clientId = `https://t${(count += 1)}.example.com/client.json`
    documents.serve(clientId, documentOf(clientId, changes))
    return clientId
  }

  it('two refreshes at the same time succeed within the grace period of public applications', async () => {
    const client_id = publish()
    const { refresh_token } = await connectPublic(host, client_id)
    const refresh = () => host.token({ client_id, grant_type: 'refresh_token', refresh_token })
    const answers = await Promise.all([refresh(), refresh()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ body }) => body['refresh_token'])).size).toBe(1)
  })

  it('a client with a key has no grace period: a second use of a refresh token revokes the grant', async () => {
    const key = await createClientKey()
    const jwks = { keys: [key.jwk] }
    const clientId = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks })
    const assertion = async () => asParameters(await signAssertion(key, clientId, host.issuer))
    const { exchange } = await authorizePublic(host, clientId)
    const { body } = await host.token({ ...exchange, ...(await assertion()) })
    const refresh = async () =>
      host.token({
        grant_type: 'refresh_token',
        refresh_token: String(body['refresh_token']),
        ...(await assertion()),
      })
    expect((await refresh()).status).toBe(200)
    expect((await refresh()).body['error']).toBe('invalid_grant')
  })

  it('keys that are replaced at jwks_uri are found when an assertion names them', async () => {
    const [old, next] = [await createClientKey(), await createClientKey()]
    const clientId = publish({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `https://t${count + 1}.example.com/jwks.json`,
    })
    const jwksUri = `https://t${count}.example.com/jwks.json`
    documents.serve(jwksUri, { keys: [{ ...old.jwk, kid: 'old' }] })
    const tokenWith = async (key: typeof old, kid: string) => {
      const { exchange } = await authorizePublic(host, clientId)
      const assertion = await signAssertion(key, clientId, host.issuer, { header: { kid } })
      return (await host.token({ ...exchange, ...asParameters(assertion) })).status
    }
    expect(await tokenWith(old, 'old')).toBe(200)
    documents.serve(jwksUri, { keys: [{ ...next.jwk, kid: 'next' }] })
    // Unknown keys do not cause more than one request a minute.
    expect(await tokenWith(next, 'next')).toBe(401)
    const before = documents.requests.filter(({ url }) => url === jwksUri).length
    expect(await tokenWith(next, 'next')).toBe(401)
    expect(documents.requests.filter(({ url }) => url === jwksUri)).toHaveLength(before)
    const { internalsOf } = await import('../../../src/gatehouse/internals.ts')
    const service = await internalsOf(host.gatehouse, 'test').documents?.()
    await service?.documents.put(clientId, (stored) => {
      return stored?.keys && { ...stored, keys: { ...stored.keys, fetchedAt: stored.keys.fetchedAt - 61 } }
    })
    expect(await tokenWith(next, 'next')).toBe(200)
    expect(await tokenWith(old, 'old')).toBe(401)
  })

  it('pages at the origins of its redirect URIs may call the token endpoint, and others may not', async () => {
    const own = `https://t${count + 1}.example.com`
    const client_id = publish({ redirect_uris: [`${own}/callback`] })
    const { exchange } = await authorizePublic(host, client_id, { redirect_uri: `${own}/callback` })
    const send = (origin: string, method: string, form: Record<string, string> = {}) =>
      fetch(`${host.issuer}/oauth2/token`, {
        method,
        headers: { origin, ...(method === 'OPTIONS' && { 'access-control-request-method': 'POST' }) },
        ...(method === 'POST' && { body: new URLSearchParams(form) }),
      })
    const preflight = await send(own, 'OPTIONS')
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, own])
    const foreign = 'https://foreign.example.org'
    expect((await send(foreign, 'POST', exchange)).status).toBe(400)
    const answer = await send(own, 'POST', exchange)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, own])
  })

  it('it revokes its own tokens; after very many, the grant of the token instead of all people', async () => {
    const client_id = publish()
    const few = await startHostWithDocuments(memoryStore(), {
      documents,
      gatehouse: { maxRevocationsPerClient: 1, clientDocuments: [{ ...POLICY, match: 'https://*' }] },
    })
    const alice = await connectPublic(few.host, client_id)
    const bob = await connectPublic(few.host, client_id, { user: 'bob' })
    const refresh = ({ refresh_token }: { refresh_token: string }) =>
      few.host.token({ client_id, grant_type: 'refresh_token', refresh_token })
    const revoke = (token: string) => few.host.post('/oauth2/revoke', { client_id, token })
    const status = async (token: string) => (await few.host.call('GET /invoices/1', token)).status
    expect((await revoke(alice.access_token)).status).toBe(200)
    const again = (await refresh(alice)).body as unknown as typeof alice
    expect([await status(alice.access_token), await status(again.access_token)]).toEqual([401, 200])
    expect((await revoke(again.access_token)).status).toBe(200)
    expect([await status(again.access_token), await status(bob.access_token)]).toEqual([401, 200])
    expect([(await refresh(again)).status, (await refresh(bob)).status]).toEqual([400, 200])
    await few.host.close()
  })
})

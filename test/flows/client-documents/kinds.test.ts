import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_ID, documentOf, startHostWithDocuments, VENDOR } from '../../support/client-document.ts'
import { asParameters, createClientKey, signAssertion, type ClientKey } from '../../support/client-keys.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import type { Host } from '../../support/host.ts'
import { authorizePublic, connectPublic } from '../../support/public-application.ts'

// The documents have the members that well-known clients publish.

const LOOPBACK = ['http://127.0.0.1/callback', 'http://localhost/callback']
const WEB = `https://${VENDOR}/callback`

describe('a client with a metadata document', () => {
  let host: Host
  let documents: DocumentHost
  let key: ClientKey
  beforeAll(async () => {
    ;({ host, documents } = await startHostWithDocuments(memoryStore()))
    key = await createClientKey('RS256')
    documents.serve(`https://${VENDOR}/jwks.json`, {
      keys: [{ ...key.jwk, kid: 'one', use: 'sig', alg: 'RS256' }],
    })
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  function publish(changes: object, path = 'client.json'): string {
    const clientId = `https://${VENDOR}/oauth/${path}`
    documents.serve(clientId, documentOf(clientId, changes))
    return clientId
  }

  async function exchangeWithKey(clientId: string, redirect_uri: string) {
    const { exchange } = await authorizePublic(host, clientId, { redirect_uri })
    const assert = async () =>
      asParameters(await signAssertion(key, clientId, host.issuer, { header: { kid: 'one' } }))
    const without = await host.token(exchange)
    return { without, answer: await host.token({ ...exchange, ...(await assert()) }), assert }
  }

  it('of a program on the computer of its user uses any port, without naming application_type', async () => {
    const clientId = publish({ redirect_uris: LOOPBACK }, 'program.json')
    for (const redirect_uri of ['http://127.0.0.1:51004/callback', 'http://localhost:3118/callback']) {
      const tokens = await connectPublic(host, clientId, { redirect_uri })
      expect((await host.call('GET /invoices/1', tokens.access_token)).status).toBe(200)
    }
  })

  it('of a website may name grant types that this service does not have', async () => {
    const grant_types = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer']
    const clientId = publish({ redirect_uris: [WEB], grant_types, scope: 'anything' }, 'website.json')
    const tokens = await connectPublic(host, clientId, { redirect_uri: WEB })
    const refreshed = await host.token({
      client_id: clientId,
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    })
    expect(refreshed.status).toBe(200)
  })

  it.each([
    ['that lists private_key_jwt and none authenticates with its key', ['none', 'private_key_jwt']],
    ['that lists only private_key_jwt authenticates with its key', undefined],
  ])('%s', async (_, token_endpoint_auth_methods_supported) => {
    const clientId = publish(
      {
        redirect_uris: [WEB],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'RS256',
        token_endpoint_auth_methods_supported,
        jwks_uri: `https://${VENDOR}/jwks.json`,
      },
      `keys-${String(token_endpoint_auth_methods_supported)}.json`,
    )
    const { without, answer, assert } = await exchangeWithKey(clientId, WEB)
    expect(without).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(answer.status).toBe(200)
    const { refresh_token } = answer.body as { refresh_token: string }
    const refreshed = await host.token({ grant_type: 'refresh_token', refresh_token, ...(await assert()) })
    expect(refreshed.status).toBe(200)
    expect((await host.call('GET /invoices/1', String(refreshed.body['access_token']))).status).toBe(200)
  })

  it('with its keys in the document authenticates with them', async () => {
    const jwks = {
      keys: [
        { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
        { ...key.jwk, kid: 'one' },
      ],
    }
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks }
    const clientId = publish({ redirect_uris: [WEB], ...method }, 'inline-keys.json')
    const { without, answer } = await exchangeWithKey(clientId, WEB)
    expect(without.status).toBe(401)
    expect(answer.status).toBe(200)
  })

  it('of an editor has https and loopback addresses, and others that are left out', async () => {
    const redirect_uris = [...LOOPBACK, WEB, 'vscode://agent/callback', 'https://localhost/callback']
    const clientId = publish({ redirect_uris, application_type: 'native' }, 'editor.json')
    for (const redirect_uri of [WEB, 'http://127.0.0.1:33418/callback']) {
      const tokens = await connectPublic(host, clientId, { redirect_uri })
      expect((await host.call('GET /invoices/1', tokens.access_token)).status).toBe(200)
    }
    const { pages } = await authorizePublic(host, clientId, { redirect_uri: 'vscode://agent/callback' })
    expect(pages.at(-1)).toMatchObject({ status: 400 })
  })

  it('is named by its address in tokens, and works without an account', async () => {
    const clientId = publish({})
    expect(clientId).toBe(CLIENT_ID)
    const { access_token } = await connectPublic(host, clientId)
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()) as object
    expect(claims).toMatchObject({ client_id: CLIENT_ID, account_id: 'alice', access_mode: 'delegated' })
  })

  it('the metadata of the service names documents, and the methods of their clients', async () => {
    for (const path of ['oauth-authorization-server/auth', 'openid-configuration/auth']) {
      const response = await fetch(`${new URL(host.issuer).origin}/.well-known/${path}`)
      expect(await response.json()).toMatchObject(NAMED)
    }
  })
})

const NAMED = {
  client_id_metadata_document_supported: true,
  token_endpoint_auth_methods_supported: [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ],
}

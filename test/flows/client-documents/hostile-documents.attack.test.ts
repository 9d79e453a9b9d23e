import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { internalsOf } from '../../../src/gatehouse/internals.ts'
import { documentOf, POLICY, startHostWithDocuments } from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { authorizationUrl, type Host } from '../../support/host.ts'
import { authorizePublic, connectPublic, createPkce } from '../../support/public-application.ts'

describe('attacks with documents', () => {
  const store = memoryStore()
  let host: Host
  let documents: DocumentHost
  beforeAll(async () => {
    ;({ host, documents } = await startHostWithDocuments(store, {
      gatehouse: { clientDocuments: [{ ...POLICY, match: 'https://*' }] },
    }))
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  let count = 0
  function publish(changes: object = {}, name = `a${(count += 1)}.example.com`): string {
    const clientId = `https://${name}/client.json`
    documents.serve(clientId, documentOf(clientId, changes))
    return clientId
  }

  const refresh = (client_id: string, refresh_token: string) =>
    host.token({ client_id, grant_type: 'refresh_token', refresh_token })

  async function resolver() {
    const { documents: load } = internalsOf(host.gatehouse, 'test')
    if (!load) throw new Error('the option is on')
    return load()
  }

  it('grants and codes from before a block stay rejected after it, also if their deletion did not find them', async () => {
    const clientId = publish()
    const { refresh_token, access_token } = await connectPublic(host, clientId)
    const { exchange } = await authorizePublic(host, clientId)
    await (await resolver()).documents.removeUser(clientId, 'alice')
    const { clientDocuments } = host.gatehouse
    const { host: name } = new URL(clientId)
    await clientDocuments.block(name)
    await vi.waitFor(() => clientDocuments.unblock(name), { timeout: 10_000 })
    expect((await refresh(clientId, refresh_token)).body['error']).toBe('invalid_grant')
    expect((await host.token(exchange)).body['error']).toBe('invalid_grant')
    expect((await host.call('GET /invoices/1', access_token)).status).toBe(401)
    const again = await connectPublic(host, clientId)
    expect((await refresh(clientId, again.refresh_token)).status).toBe(200)
  })

  it('after a block, the consent page begins as if the person had never decided', async () => {
    const clientId = publish()
    const { browser } = await authorizePublic(host, clientId)
    const { clientDocuments } = host.gatehouse
    await clientDocuments.block(new URL(clientId).host)
    await vi.waitFor(() => clientDocuments.unblock(new URL(clientId).host), { timeout: 10_000 })
    const parameters = { redirect_uri: 'http://127.0.0.1:5000/callback', ...createPkce().challenge }
    const page = await browser.open(authorizationUrl(host, clientId, parameters))
    expect(page.body).not.toContain('Allowed before')
  })

  it('a slow document holds no place of other clients, also in a process that has just started', async () => {
    const clientId = publish()
    const { refresh_token } = await connectPublic(host, clientId)
    const { issuer, audience } = host
    const fresh = await startHostWithDocuments(store, {
      documents,
      gatehouse: { issuer, audience, clientDocuments: [{ ...POLICY, match: 'https://*' }] },
    })
    const slow = publish()
    documents.serve(slow, () => {})
    const waiting = Array.from({ length: 30 }, () =>
      fresh.host.token({ client_id: slow, grant_type: 'refresh_token', refresh_token: 'x' }),
    )
    const answer = await fresh.host.token({ client_id: clientId, grant_type: 'refresh_token', refresh_token })
    expect(answer.status).toBe(200)
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([503]))
    await fresh.host.close()
  }, 30_000)

  it.each([
    ['is gone', 404],
    ['is down', 500],
  ])(
    'tokens of a client whose document %s are introspected, and read user info, without a fetch',
    async (_, status) => {
      const clientId = publish()
      const tokens = await connectPublic(host, clientId, { parameters: { scope: 'openid invoices:read' } })
      documents.serve(clientId, (_request, response) => void response.writeHead(status).end())
      await (await resolver()).documents.put(clientId, (before) => before && { ...before, freshUntil: 0 })
      documents.forget()
      const server = await host.createApiKey([])
      await host.gatehouse.apiKeys.setResourceServer(server.client_id, true)
      const introspected = await host.post('/oauth2/introspect', { ...server, token: tokens.access_token })
      expect(introspected.body).toMatchObject({ active: true, client_id: clientId })
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      expect((await fetch(`${host.issuer}/oauth2/userinfo`, { headers })).status).toBe(200)
      const revoked = await host.post('/oauth2/revoke', { client_id: clientId, token: tokens.access_token })
      expect(revoked.status).toBe(200)
      expect(documents.requests).toEqual([])
    },
  )
})

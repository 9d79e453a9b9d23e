import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  CLIENT_ID,
  documentOf,
  POLICY,
  startHostWithDocuments,
  VENDOR,
} from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { authorizationUrl, type Host } from '../../support/host.ts'
import { connectPublic, createPkce } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

const OTHER = 'https://other.example.com/client.json'

describeEachStore('blocking the host of documents', (makeStore) => {
  let host: Host
  let second: Host
  let documents: DocumentHost
  beforeAll(async () => {
    const options = { gatehouse: { clientDocuments: [{ ...POLICY, match: 'https://*' }] } }
    ;({ host, documents } = await startHostWithDocuments(makeStore('shared'), options))
    const { issuer, audience } = host
    const gatehouse = { ...options.gatehouse, issuer, audience }
    second = (await startHostWithDocuments(makeStore('shared'), { gatehouse, documents })).host
    for (const id of [CLIENT_ID, OTHER]) documents.serve(id, documentOf(id))
  })
  afterAll(async () => {
    await host.close()
    await second.close()
    await documents.close()
  })

  const callSecond = async (token: string) => (await second.call('GET /invoices/1', token)).status
  const refresh = (clientId: string, refresh_token: string) =>
    host.token({ client_id: clientId, grant_type: 'refresh_token', refresh_token })

  it('rejects its tokens in every process, its refreshes and its requests, and deletes its grants', async () => {
    const { clientDocuments, grants } = host.gatehouse
    const [alice, bob] = [
      await connectPublic(host, CLIENT_ID),
      await connectPublic(host, CLIENT_ID, { user: 'bob' }),
    ]
    const other = await connectPublic(host, OTHER)
    expect(await callSecond(alice.access_token)).toBe(200)

    const emitted: object[] = []
    host.gatehouse.on('document_host.blocked', (event) => emitted.push(event))
    host.gatehouse.on('document_host.unblocked', (event) => emitted.push(event))
    await clientDocuments.block(VENDOR, { actor: 'olga' })
    for (const { access_token } of [alice, bob]) {
      await vi.waitFor(async () => expect(await callSecond(access_token)).toBe(401), { timeout: 5000 })
      expect((await host.call('GET /invoices/1', access_token)).status).toBe(401)
    }
    expect(await callSecond(other.access_token)).toBe(200)
    for (const { refresh_token } of [alice, bob]) {
      expect(await refresh(CLIENT_ID, refresh_token)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client', error_description: `this service has blocked ${VENDOR}` },
      })
    }
    const page = await host.browser().open(authorizationUrl(host, CLIENT_ID, createPkce().challenge))
    expect(page.status).toBe(400)

    await vi.waitFor(
      async () => {
        const [left] = await clientDocuments.listBlocked()
        expect(left).toMatchObject({ host: VENDOR, blockedBy: 'olga', isClearing: false })
      },
      { timeout: 10_000 },
    )
    for (const accountId of ['alice', 'bob']) {
      const { items } = await grants.list({ accountId })
      expect(items.map(({ clientId }) => clientId)).not.toContain(CLIENT_ID)
    }
    const { items } = await host.gatehouse.audit.list({ limit: 100 })
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'document_host.blocked', target: VENDOR, actor: 'olga' }),
    )
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'grant.revoked', clientId: CLIENT_ID, reason: 'host-blocked' }),
    )

    await clientDocuments.unblock(VENDOR)
    expect(emitted).toEqual([{ host: VENDOR, actor: 'olga' }, { host: VENDOR }])
    expect((await refresh(CLIENT_ID, alice.refresh_token)).body['error']).toBe('invalid_grant')
    expect(await callSecond(alice.access_token)).toBe(401)
    const again = await connectPublic(host, CLIENT_ID)
    expect(await callSecond(again.access_token)).toBe(200)
    expect(await callSecond(other.access_token)).toBe(200)

    await second.gatehouse.clientDocuments.block(VENDOR)
    await vi.waitFor(
      async () => expect((await host.call('GET /invoices/1', again.access_token)).status).toBe(401),
      { timeout: 5000 },
    )
  })

  it('blocking can be repeated, and an invalid host is rejected', async () => {
    const { clientDocuments } = host.gatehouse
    await clientDocuments.block('a.example.com')
    await clientDocuments.block('a.example.com')
    expect(
      (await clientDocuments.listBlocked()).filter((each) => each.host === 'a.example.com'),
    ).toHaveLength(1)
    const bad = [
      '',
      'https://a.example.com',
      'A.example.com',
      'a.example.com/x',
      'a b',
      '*.example.com',
      'a.example.com.',
      'user@a.example.com',
      7,
      undefined,
    ]
    for (const name of bad) {
      await expect(clientDocuments.block(name as string)).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
      })
    }
    await expect(clientDocuments.unblock('never.example.com')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
  })

  it('lists documents with their users and their last use', async () => {
    await connectPublic(host, OTHER)
    await connectPublic(host, OTHER, { user: 'bob' })
    const { items } = await host.gatehouse.clientDocuments.list()
    expect(items).toContainEqual(
      expect.objectContaining({
        clientId: OTHER,
        host: 'other.example.com',
        name: 'Example Agent',
        method: 'none',
        users: 2,
        lastUsedAt: expect.any(Number) as number,
        rejected: undefined,
      }),
    )
  })
})

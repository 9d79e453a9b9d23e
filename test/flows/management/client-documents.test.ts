import { afterAll, beforeAll, expect, it } from 'vitest'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { documentOf, POLICY, VENDOR } from '../../support/client-document.ts'
import { startDocumentHost, type DocumentHost } from '../../support/document-host.ts'
import { connectPublic } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'
import { browserOf, startManagement, type ManagementHost } from './setup.ts'

/** As long as a client id may be. */
const LONG = `https://${VENDOR}/`.padEnd(1024, 'a')

describeEachStore('the management API with an application that has a metadata document', (makeStore) => {
  let host: ManagementHost
  let documents: DocumentHost
  beforeAll(async () => {
    documents = await startDocumentHost([VENDOR])
    documents.serve(LONG, documentOf(LONG))
    host = await startManagement({ store: makeStore(), gatehouse: { clientDocuments: [POLICY] } })
    await replaceOutgoingConnections(host.gatehouse, documents.connections)
    const { access_token } = await connectPublic(host, LONG, { browser: browserOf(host, 'alice') })
    expect((await host.call('GET /invoices/1', access_token)).status).toBe(200)
    await host.usage.flush()
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  const get = (person: string, path: string) => host.api(person).call(`GET ${path}`)
  const query = `clientId=${encodeURIComponent(LONG)}`

  it('lists its authorization with its host', async () => {
    const { status, body } = await get('alice', '/authorizations')
    expect(status).toBe(200)
    const document = { host: VENDOR, isVerified: false }
    expect(body.items).toMatchObject([{ clientId: LONG, application: { name: 'Example Agent', document } }])
  })

  it('lists its audit entries and its usage for operators, and not for owners of clients', async () => {
    const audit = await get('root', `/operator/audit?${query}`)
    expect(audit.status).toBe(200)
    expect(audit.body.items).toContainEqual(
      expect.objectContaining({ name: 'consent.approved', clientId: LONG }),
    )
    const usage = await get('root', `/operator/usage?${query}`)
    expect(usage.status).toBe(200)
    expect(usage.body.items).toHaveLength(2)
    const top = await get('root', '/operator/usage/top-clients')
    expect(top.body.items).toMatchObject([{ clientId: LONG }])
    for (const path of ['/audit', '/usage']) expect((await get('alice', `${path}?${query}`)).status).toBe(404)
    expect((await get('root', `/operator/audit?${query}a`)).status).toBe(422)
  })

  it('has no page of such a client, and a search finds none', async () => {
    const path = `/operator/clients/${encodeURIComponent(LONG)}`
    expect((await get('root', path)).status).toBe(404)
    expect((await host.api('root').call(`POST ${path}/revoke`)).status).toBe(404)
    const found = await get('root', `/operator/search?text=${encodeURIComponent(LONG.slice(0, 600))}`)
    expect([found.status, found.body.clients]).toEqual([200, []])
  })

  it('revokes its authorizations', async () => {
    const revoked = await host.api('alice').call(`DELETE /authorizations?${query}`)
    expect([revoked.status, revoked.body]).toEqual([200, { grants: 1 }])
    expect((await get('alice', '/authorizations')).body.items).toEqual([])
  })
})

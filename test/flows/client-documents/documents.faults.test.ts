import { setTimeout as delay } from 'node:timers/promises'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { documentOf, POLICY, startHostWithDocuments } from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { authorizationUrl, type Host } from '../../support/host.ts'
import { connectPublic, createPkce } from '../../support/public-application.ts'

const EVERY_HOST = { ...POLICY, match: 'https://*' }

describe('documents and faults', () => {
  const shared = memoryStore()
  let host: Host
  let second: Host
  let documents: DocumentHost
  let faulty: FaultyStore
  beforeAll(async () => {
    faulty = faultyStore(shared)
    const gatehouse = { clientDocuments: [EVERY_HOST] }
    ;({ host, documents } = await startHostWithDocuments(faulty.store, { gatehouse }))
    const { issuer, audience } = host
    const other = { ...gatehouse, issuer, audience }
    second = (await startHostWithDocuments(shared, { gatehouse: other, documents })).host
  })
  afterAll(async () => {
    await host.close()
    await second.close()
    await documents.close()
  })
  beforeEach(() => documents.forget())

  let count = 0
  function publish(changes: object = {}): string {
    const clientId = `https://f${(count += 1)}.example.com/client.json`
    documents.serve(clientId, documentOf(clientId, changes))
    return clientId
  }

  const refresh = (at: Host, client_id: string, refresh_token = 'x') =>
    at.token({ client_id, grant_type: 'refresh_token', refresh_token })

  /** Makes the stored document of a client too old. */
  async function makeStale(clientId: string) {
    const { internalsOf } = await import('../../../src/gatehouse/internals.ts')
    const service = await internalsOf(second.gatehouse, 'test').documents?.()
    await service?.documents.put(clientId, (before) => before && { ...before, freshUntil: 0 })
  }

  it('all processes share a document, and fetch it once, also with many requests at the same time', async () => {
    const clientId = publish()
    const open = (at: Host) => at.browser().open(authorizationUrl(at, clientId, createPkce().challenge))
    await Promise.all(Array.from({ length: 20 }, () => open(host)))
    await open(second)
    // A request that read the store before the document was stored may fetch it once more.
    expect(documents.requests.length).toBeLessThanOrEqual(2)
  })

  it('a host that fails is unavailable, and its client keeps its registration', async () => {
    const clients: { clientId: string; refresh_token: string }[] = []
    const failures: Parameters<DocumentHost['serve']>[1][] = [
      (_request, response) => void response.writeHead(500).end(),
      (_request, response) => void response.writeHead(429).end(),
      (request) => void request.socket.destroy(),
    ]
    for (const failure of failures) {
      const clientId = publish()
      const { access_token, refresh_token } = await connectPublic(host, clientId)
      clients.push({ clientId, refresh_token })
      documents.serve(clientId, failure)
      await makeStale(clientId)
      const answer = await refresh(host, clientId, refresh_token)
      expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
      expect(answer.headers.get('retry-after')).not.toBeNull()
      expect(answer.body['error_description']).toContain('cannot be asked about the client now')
      const page = await host.browser().open(authorizationUrl(host, clientId, createPkce().challenge))
      expect(page.status).toBe(503)
      expect((await host.call('GET /invoices/1', access_token)).status).toBe(200)
      documents.serve(clientId, documentOf(clientId))
    }
    // The service asks a host that failed again after a second.
    await delay(1100)
    for (const { clientId, refresh_token } of clients)
      expect((await refresh(host, clientId, refresh_token)).status).toBe(200)
  })

  it('a certificate for another name is no certificate of the host', async () => {
    const clientId = 'https://elsewhere.example.net/client.json'
    documents.serve(clientId, documentOf(clientId))
    expect(await refresh(host, clientId)).toMatchObject({ status: 503 })
    expect(documents.requests).toEqual([])
  })

  it('a name whose addresses change is resolved once for each fetch', async () => {
    const clientId = publish()
    let answers = 0
    const { hostname } = new URL(clientId)
    documents.addresses.set(hostname, () => [(answers += 1) === 1 ? '93.184.216.34' : '127.0.0.1'])
    const { refresh_token } = await connectPublic(host, clientId)
    expect(documents.connected.map(({ address }) => address)).toEqual(['93.184.216.34'])
    expect(answers).toBe(1)
    await makeStale(clientId)
    expect((await refresh(host, clientId, refresh_token)).status).toBe(503)
    expect(documents.connected).toHaveLength(1)
  })

  it('a jwks_uri inside the network is not connected', async () => {
    const inner = 'https://inner.example.com/jwks.json'
    documents.addresses.set('inner.example.com', ['10.0.0.7'])
    const clientId = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: inner })
    const answer = await refresh(host, clientId)
    expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect(documents.connected.map(({ servername }) => servername)).not.toContain('inner.example.com')
  })

  it('after its document was deleted, a client gets no refresh, and its token works until it expires', async () => {
    const clientId = publish()
    const { access_token, refresh_token } = await connectPublic(host, clientId)
    documents.serve(clientId, (_request, response) => void response.writeHead(404).end())
    await makeStale(clientId)
    expect((await refresh(host, clientId, refresh_token)).body['error']).toBe('invalid_client')
    expect((await host.call('GET /invoices/1', access_token)).status).toBe(200)
    const { items } = await host.gatehouse.clientDocuments.list()
    const listed = items.find((each) => each.clientId === clientId)
    expect(listed?.problem).toContain('cannot be used')
  })

  it('1,000 addresses of strangers at once: few fetches, few records, and known clients go on', async () => {
    const clientId = publish()
    const { refresh_token } = await connectPublic(host, clientId)
    await makeStale(clientId)
    documents.forget()
    const { internalsOf } = await import('../../../src/gatehouse/internals.ts')
    const service = await internalsOf(host.gatehouse, 'test').documents?.()
    if (!service) throw new Error('the option is on')
    const strangers = Array.from({ length: 1000 }, (_, at) =>
      service.resolve(`https://s${at}.example.com/client.json`).then(
        () => 'answered',
        (error: { code?: string }) => error.code,
      ),
    )
    const known = refresh(host, clientId, refresh_token)
    const outcomes = await Promise.all(strangers)
    expect(outcomes.filter((each) => each === 'ERR_DOCUMENT_UNAVAILABLE').length).toBeGreaterThan(850)
    expect(documents.requests.length).toBeLessThan(150)
    expect((await known).status).toBe(200)
  })

  it('a policy that changes applies to the next request, and does not touch issued tokens', async () => {
    const clientId = publish()
    const { issuer, audience } = host
    const { access_token, refresh_token } = await connectPublic(host, clientId)
    const restarted = await startHostWithDocuments(shared, {
      documents,
      gatehouse: { issuer, audience, clientDocuments: [POLICY] },
    })
    const answer = await refresh(restarted.host, clientId, refresh_token)
    expect(answer.body).toEqual({
      error: 'invalid_client',
      error_description: `this service accepts no documents of ${new URL(clientId).host}`,
    })
    expect((await restarted.host.call('GET /invoices/1', access_token)).status).toBe(200)
    const { items } = await restarted.host.gatehouse.clientDocuments.list({ limit: 100 })
    expect(items.find((each) => each.clientId === clientId)).toMatchObject({ rejected: 'no-policy' })
    await restarted.host.close()
  })

  it.each(['rejected', 'unanswered', 'silent', 'late'] as const)(
    'a block whose revocation the store does not confirm (%s) is completed by a repeated call',
    async (fault) => {
      const clientId = publish()
      const name = new URL(clientId).host
      const { access_token } = await connectPublic(host, clientId)
      faulty.arm('add revocations', fault)
      await host.gatehouse.clientDocuments.block(name).catch(() => {})
      faulty.arm()
      await faulty.settled()
      await host.gatehouse.clientDocuments.block(name)
      await vi.waitFor(
        async () => expect((await second.call('GET /invoices/1', access_token)).status).toBe(401),
        { timeout: 5000 },
      )
    },
  )

  it('with the store away, requests of documents get 503, and calls go on', async () => {
    const clientId = publish()
    const { access_token, refresh_token } = await connectPublic(host, clientId)
    faulty.goAway()
    try {
      expect((await refresh(host, clientId, refresh_token)).status).toBe(503)
      expect((await host.call('GET /invoices/1', access_token)).status).toBe(200)
      await expect(host.gatehouse.clientDocuments.block('away.example.com')).rejects.toMatchObject({
        code: 'ERR_STORE_UNAVAILABLE',
      })
    } finally {
      faulty.comeBack()
    }
    await vi.waitFor(async () => expect((await refresh(host, clientId, refresh_token)).status).toBe(200), {
      timeout: 10_000,
      interval: 200,
    })
  })
})

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { CLIENT_ID, documentOf, POLICY, VENDOR } from '../../support/client-document.ts'
import { startDocumentHost, type DocumentHost } from '../../support/document-host.ts'
import { connectPublic } from '../../support/public-application.ts'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { internalsOf } from '../../../src/gatehouse/internals.ts'
import { required } from '../../support/required.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const PATH = '/console/operator/client-documents'
const OTHER = 'https://xn--bcher-kva.example.com/client.json'
const LONG = `https://long.example.com/${'a'.repeat(990)}`
/** A name with markup, in two directions, with 120 characters. */
const HOSTILE = `<b>Bank</b> שלום “quoted” ${'x'.repeat(120)}`.slice(0, 120)

const NOW = Math.floor(Date.now() / 1000)
const RECORD = {
  metadata: { name: 'Agent', redirectUris: ['http://127.0.0.1/callback'], method: 'none' },
  version: 'one',
  createdAt: NOW,
  fetchedAt: NOW,
  freshUntil: NOW + 3600,
} as const

const signedInAs = (host: ConsoleHost, person = 'alice') => ({ browser: host.visit(person).browser })

describe('the pages about applications with metadata documents', () => {
  let host: ConsoleHost
  let documents: DocumentHost
  beforeAll(async () => {
    documents = await startDocumentHost([VENDOR, '*.example.com'])
    const match = { ...POLICY, match: 'https://*' }
    const verified = {
      ...POLICY,
      match: 'https://verified.example.com/*',
      name: 'verified',
    } as const
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { clientDocuments: [verified, match] },
    })
    await replaceOutgoingConnections(host.gatehouse, documents.connections)
    documents.serve(CLIENT_ID, documentOf())
    documents.serve(OTHER, documentOf(OTHER, { client_name: HOSTILE }))
    documents.serve(LONG, documentOf(LONG))
    const id = 'https://verified.example.com/client.json'
    documents.serve(id, documentOf(id, { client_name: 'Verified Agent' }))
    for (const clientId of [CLIENT_ID, OTHER, LONG, id]) await connectPublic(host, clientId, signedInAs(host))
    await connectPublic(host, CLIENT_ID, signedInAs(host, 'bob'))
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  const root = () => host.visit('root')

  it('list the hosts with what their applications call themselves, and link only to pages that exist', async () => {
    const page = await root().open(PATH)
    expect(page.status).toBe(200)
    expect(page.body).toContain(`<h2 class="host"><bdi>${VENDOR}</bdi></h2>`)
    expect(page.body).toContain('Calls itself “<bdi>Example Agent</bdi>”')
    expect(page.body).toContain('2 people')
    expect(page.body).toContain(CLIENT_ID)
    expect(page.body).toContain('http://127.0.0.1/callback')
    await expectLinks(page.body)
  })

  it('show a hostile name as isolated text, and its host in punycode', async () => {
    const { body } = await root().open(PATH)
    expect(body).toContain('xn--bcher-kva.example.com')
    expect(body).toContain('“<bdi>&lt;b&gt;Bank&lt;/b&gt; שלום ’quoted’')
    expect(body).not.toContain('<b>Bank')
  })

  it('the audit trail is filtered by the host of documents', async () => {
    const of = async (host: string) =>
      textOf((await root().open(`/console/operator/audit?by=host&value=${host}`)).body)
    expect(await of(VENDOR)).toContain(`allowed to use the account Application ${VENDOR}`)
    expect(await of(VENDOR)).not.toContain('bcher')
    expect(await of('unknown.example.com')).toContain('There are no entries, or they are older')
  })

  it('list the documents of one host', async () => {
    const { status, body } = await root().open(`${PATH}?host=${VENDOR}`)
    expect(status).toBe(200)
    expect(body).toContain(CLIENT_ID)
    expect(body).not.toContain('xn--bcher')
    for (const hostile of ['%3Cb%3E', 'a'.repeat(2000), '']) {
      const page = await root().open(`${PATH}?host=${hostile}`)
      expect([hostile, page.status, page.body.includes('<b>')]).toEqual([hostile, 200, false])
    }
  })

  it('are closed to people who are no operators, and reject forms of other pages', async () => {
    expect((await host.visit('alice').open(PATH)).status).toBe(403)
    expect((await host.visit('alice').open(`${PATH}?confirm=block&host=${VENDOR}`)).status).toBe(403)
    const page = await root().open(`${PATH}?confirm=block&host=${VENDOR}`)
    expect((await root().submit(page, 'block', { csrf: 'wrong' })).status).toBe(403)
    const foreign = await root().submit(page, 'block', {}, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
    expect(await host.gatehouse.clientDocuments.listBlocked()).toEqual([])
  })

  it('show users the host as the name of the application, and what it calls itself', async () => {
    const { body, status } = await host.visit('alice').open('/console/connected-applications')
    expect(status).toBe(200)
    expect(body).toContain(`<h2><bdi>${VENDOR}</bdi></h2>`)
    expect(body).toMatch(/It calls itself “<bdi>Example Agent<\/bdi>”/)
    expect(body).toMatch(/<bdi>Verified Agent<\/bdi>, verified by/)
  })

  it('disconnect an application whose client id has 1,015 characters', async () => {
    const alice = host.visit('alice')
    const page = await alice.open('/console/connected-applications')
    const after = await alice.submit(page, 'disconnect', { application: LONG })
    expect(after.status).toBe(200)
    expect(after.body).toContain('long.example.com</bdi> is disconnected')
    const { items } = await host.gatehouse.grants.list({ accountId: 'alice' })
    expect(items.map(({ clientId }) => clientId)).not.toContain(LONG)
  })

  it('of operators show the host in the audit trail, on accounts and in the inspector, without dead links', async () => {
    const { access_token } = await connectPublic(host, OTHER, signedInAs(host))
    for (const path of [
      '/console/operator/audit',
      `/console/operator/audit?by=client&value=${encodeURIComponent(LONG)}`,
      '/console/operator/accounts/alice',
      '/console/operator/usage',
      '/console',
    ]) {
      const page = await root().open(path)
      expect([path, page.status]).toEqual([path, 200])
      await expectLinks(page.body)
    }
    const trail = await root().open(`/console/operator/audit?by=client&value=${encodeURIComponent(LONG)}`)
    expect(trail.body).toContain('<bdi>long.example.com</bdi>')
    const inspector = await root().open('/console/token-inspector')
    const inspected = await root().submit(inspector, 'inspect', { token: access_token })
    expect(inspected.status).toBe(200)
    expect(inspected.body).toContain('<bdi>xn--bcher-kva.example.com</bdi>')
    expect(inspected.body).toContain('It calls itself “')
    await expectLinks(inspected.body)
    expect((await root().open(`/console/operator/clients/${encodeURIComponent(OTHER)}`)).status).toBe(404)
  })

  it('block a host after a confirmation, and unblock it', async () => {
    const { access_token } = await connectPublic(host, CLIENT_ID, signedInAs(host))
    const asked = await root().open(`${PATH}?confirm=block&host=${VENDOR}`)
    expect(asked.body).toContain(`Block <bdi>${VENDOR}</bdi>?`)
    const done = await root().submit(asked, 'block')
    expect(done.status).toBe(200)
    expect(done.body).toContain('The host is blocked')
    expect((await host.call('GET /invoices/1', access_token)).status).toBe(401)
    expect(await host.gatehouse.clientDocuments.listBlocked()).toMatchObject([
      { host: VENDOR, blockedBy: 'root' },
    ])
    await vi.waitFor(
      async () =>
        expect((await host.gatehouse.clientDocuments.listBlocked())[0]).toMatchObject({ isClearing: false }),
      { timeout: 10_000 },
    )
    const page = await root().open(PATH)
    expect(page.body).toContain('title="root">Root</bdi>')
    const audit = await root().open('/console/operator/audit')
    expect(audit.body).toContain(`The application host <bdi>${VENDOR}</bdi> was blocked`)
    const free = await root().submit(page, 'unblock', { host: VENDOR })
    expect(free.body).toContain('The host is unblocked')
    expect(await host.gatehouse.clientDocuments.listBlocked()).toEqual([])
  })

  it('block a host that is not in the list, typed or pasted as an address', async () => {
    for (const text of ['Bad.example.com', ' https://bad.example.com/client.json ']) {
      const page = await root().open(PATH)
      const asked = await root().submit(page, 'askBlock', { host: text })
      expect(asked.body).toContain('Block <bdi>bad.example.com</bdi>?')
    }
    for (const text of [
      '',
      'a b',
      'http://a.example.com/',
      'me@a.example.com',
      'https://',
      'a'.repeat(3000),
    ]) {
      const page = await root().open(PATH)
      const again = await root().submit(page, 'askBlock', { host: text })
      expect([text, again.status]).toEqual([text, 422])
      expect(again.body).toContain('id="host-problem"')
    }
    expect((await root().open(`${PATH}?confirm=block&host=a%20b`)).status).toBe(404)
  })

  async function expectLinks(body: string): Promise<void> {
    const links = [...body.matchAll(/href="(\/console[^"#]*)/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    )
    for (const link of new Set(links)) expect([link, (await root().open(link)).status]).toEqual([link, 200])
  }
})

it('a host that has 60 documents fills several pages', async () => {
  const host = await startConsole({
    store: memoryStore(),
    gatehouse: { clientDocuments: [POLICY] },
  })
  try {
    const { documents } = required(await internalsOf(host.gatehouse, 'a test').documents?.())
    const ids = Array.from({ length: 60 }, (_, at) => `https://${VENDOR}/clients/${at}.json`)
    for (const id of ids) {
      await documents.put(id, () => ({ ...RECORD, clientId: id }))
      await documents.addUser(id, { accountId: 'alice' }, NOW)
    }
    const seen = new Set<string>()
    let next: string | undefined = PATH
    while (next !== undefined) {
      const { body } = await host.visit('root').open(next)
      for (const [, id = ''] of body.matchAll(/<code dir="ltr">(https:[^<]*json)/g)) seen.add(id)
      next = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    expect([...seen].toSorted()).toEqual(ids.toSorted())
  } finally {
    await host.close()
  }
})

it('a console without the option has no page for documents', async () => {
  const host = await startConsole({ store: memoryStore() })
  expect((await host.visit('root').open(PATH)).status).toBe(404)
  expect((await host.visit('root').open('/console/operator')).body).not.toContain('client-documents')
  await host.close()
})

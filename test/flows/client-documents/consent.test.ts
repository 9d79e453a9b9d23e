import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, POLICY, startHostWithDocuments, VENDOR } from '../../support/client-document.ts'
import { digest } from '../../../src/store/digest.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { asksFor, authorizationUrl, signInAs, type Host } from '../../support/host.ts'
import { authorizePublic, connectPublic, createPkce } from '../../support/public-application.ts'

const WEB = `https://${VENDOR}/callback`
const LOOPBACK = 'http://127.0.0.1:51004/callback'
const VERIFIED = 'https://verified.example.com/client.json'

describe('consent for a client with a metadata document', () => {
  let host: Host
  let documents: DocumentHost
  const store = memoryStore()
  beforeAll(async () => {
    const verified = { match: VERIFIED, products: ['invoices'], name: 'verified', loopback: true } as const
    const payments = { products: ['payments'], loopback: true }
    const low = { match: 'https://low.example.com/*', ...payments }
    const high = { match: 'https://high.example.com/*', ...payments, kycLevel: 'verified' }
    ;({ host, documents } = await startHostWithDocuments(store, {
      gatehouse: {
        branding: { name: 'Ledger' },
        kycLevels: ['none', 'basic', 'verified'],
        clientDocuments: [verified, low, high, { ...POLICY, match: 'https://*' }],
      },
    }))
    documents.serve(VERIFIED, documentOf(VERIFIED, { client_name: 'Known Agent' }))
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  function publish(path: string, changes: object = {}, name = VENDOR): string {
    const clientId = `https://${name}/${path}.json`
    const redirect_uris = ['http://127.0.0.1/callback', WEB]
    documents.serve(clientId, documentOf(clientId, { redirect_uris, ...changes }))
    return clientId
  }

  /** Opens the consent page. */
  async function consentPage(clientId: string, redirect_uri = LOOPBACK, browser = host.browser()) {
    const parameters = { redirect_uri, ...createPkce().challenge }
    const page = await browser.open(authorizationUrl(host, clientId, parameters))
    const next = asksFor(page) === 'sign-in' ? await signInAs(browser, page, 'alice') : page
    expect(asksFor(next)).toBe('consent')
    return { page: next, browser, body: next.body.replaceAll(/\s+/g, ' ') }
  }

  it('a person who was the first to approve too many documents is told so, and nothing is approved', async () => {
    const { page, browser } = await consentPage(publish('one-more'))
    const key = `client-documents:first:${digest('alice')}`
    const slots = { slotSeconds: 4 * 86_400, slots: 100, claim: 0, max: 0 }
    await store.count?.(key, 100, slots)
    const approve = () => browser.submit(page, { action: /consent$/, button: ['action', 'approve'] })
    const rejected = await approve()
    expect([rejected.status, asksFor(rejected)]).toEqual([422, 'consent'])
    expect(rejected.body).toContain('You have connected too many new applications.')
    expect((await host.gatehouse.clientDocuments.list()).items.map(({ clientId }) => clientId)).not.toContain(
      `https://${VENDOR}/one-more.json`,
    )
    await store.delete(key)
    expect((await approve()).url.searchParams.has('code')).toBe(true)
  })

  it('names the host, and not the name that the client gives itself', async () => {
    const clientId = publish('names', {
      client_name: 'Ledger Support',
      client_uri: 'https://ledger.example.org/',
      logo_uri: 'https://ledger.example.org/logo.png',
      policy_uri: 'https://ledger.example.org/privacy',
      tos_uri: `https://${VENDOR}/terms`,
    })
    const { body, page } = await consentPage(clientId)
    expect(body).toContain(
      `<h1> <bdi class="host">${VENDOR}</bdi> wants access to your <bdi>Ledger</bdi> account </h1>`,
    )
    expect(body).toContain(
      'It calls itself “<bdi>Ledger Support</bdi>”. <bdi>Ledger</bdi> has not checked this name.',
    )
    expect(body.match(/Ledger Support/g)).toHaveLength(1)
    expect(body).toContain('A program on this computer gets access (')
    expect(body).not.toContain('ledger.example.org')
    expect(body).toContain(`https://${VENDOR}/terms`)
    expect(page.headers.get('content-security-policy')).not.toContain('ledger.example.org')
  })

  it('names the host of the redirect, also if it is another one', async () => {
    const clientId = publish('elsewhere', { redirect_uris: ['https://elsewhere.example.org/callback'] })
    const { body } = await consentPage(clientId, 'https://elsewhere.example.org/callback')
    expect(body).toContain(
      `You will be sent to <bdi>https://elsewhere.example.org</bdi>, which is another host than <bdi>${VENDOR}</bdi>.`,
    )
  })

  it('says that the name is verified if the policy says so', async () => {
    const { body } = await consentPage(VERIFIED)
    expect(body).toContain('<bdi>Known Agent</bdi>, verified by <bdi>Ledger</bdi>')
    expect(body).not.toContain('calls itself')
  })

  it('shows every name harmlessly, and no name ends its quotation', async () => {
    for (const [at, [client_name, shown]] of [
      ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
      ['Сlаude', 'Сlаude'],
      ['a\u200b\u200bb', 'ab'],
      ['x'.repeat(120), `${'x'.repeat(79)}…`],
      ['Agent”. We have verified this. Not “', 'Agent’. We have verified this. Not ’'],
    ].entries()) {
      const { body } = await consentPage(publish(`name-${at}`, { client_name }))
      expect(body).toContain(`calls itself “<bdi>${shown}</bdi>”`)
    }
  })

  it('shows a long host of the redirect with its end', async () => {
    const evil = `https://accounts.bank.example.${`${'a'.repeat(60)}.`.repeat(3)}evil.example`
    const clientId = publish('long', { redirect_uris: [`${evil}/callback`] })
    expect((await consentPage(clientId, `${evil}/callback`)).body).toContain(`sent to <bdi>${evil}</bdi>`)
  })

  it('shows a host with other letters in the form that browsers show', async () => {
    const { body } = await consentPage(publish('idn', {}, 'xn--e1aybc.example.com'))
    expect(body).toContain('<bdi class="host">xn--e1aybc.example.com</bdi>')
  })

  it('is asked for each time, also with an https redirect and with prompt=none', async () => {
    const clientId = publish('again')
    const { browser } = await authorizePublic(host, clientId, { redirect_uri: WEB })
    await consentPage(clientId, WEB, browser)
    const silent = await authorizePublic(host, clientId, {
      browser,
      redirect_uri: WEB,
      parameters: { prompt: 'none' },
    })
    expect(silent.callback.searchParams.get('error')).toBe('consent_required')
    expect(silent.code).toBe('')
  })

  it.each<[string, object]>([
    ['name', { client_name: 'Another Agent' }],
    ['redirect URIs', { redirect_uris: ['http://127.0.0.1/callback', WEB, `https://${VENDOR}/more`] }],
  ])(
    'begins as if the person had never decided after the %s of the document changed',
    async (what, changes) => {
      const clientId = publish(`changed-${what.length}`)
      const tokens = await connectPublic(host, clientId, { redirect_uri: WEB })
      const { body: before, browser } = await consentPage(clientId, WEB)
      expect(before).toContain('Allowed before')
      publish(`changed-${what.length}`, changes)
      await makeStale(clientId)
      const { body } = await consentPage(clientId, WEB, browser)
      expect(body).not.toContain('Allowed before')
      expect(body).toContain('This application has changed since you last decided about it.')
      const refreshed = await host.token({
        client_id: clientId,
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      })
      expect(refreshed.status).toBe(200)
    },
  )

  it('a decision on a page that shows an older document does not count', async () => {
    const clientId = publish('swapped')
    const { page, browser } = await consentPage(clientId)
    publish('swapped', { client_name: 'Swapped' })
    await makeStale(clientId)
    await consentPage(clientId)
    const answer = await browser.submit(page, { action: /consent/, button: ['action', 'approve'] })
    expect(answer.status).toBe(403)
  })

  it('the consent of one document is none for another document of the same host', async () => {
    const [one, other] = [publish('one'), publish('other')]
    const { browser } = await authorizePublic(host, one)
    expect((await consentPage(other, LOOPBACK, browser)).body).not.toContain('Allowed before')
  })

  it('offers the operations of the KYC level of the policy', async () => {
    for (const [name, mayMove] of [
      ['low', false],
      ['high', true],
    ] as const) {
      const { body } = await consentPage(publish('level', {}, `${name}.example.com`))
      expect(body).toContain('value="payments:list"')
      expect(body.includes('value="payments:transfer"')).toBe(mayMove)
    }
  })

  /** Makes this process fetch a document again: it was stored for a while. */
  async function makeStale(clientId: string) {
    const { internalsOf } = await import('../../../src/gatehouse/internals.ts')
    const { documents: service } = internalsOf(host.gatehouse, 'test')
    await (await service?.())?.documents.put(clientId, (before) => before && { ...before, freshUntil: 0 })
  }
})

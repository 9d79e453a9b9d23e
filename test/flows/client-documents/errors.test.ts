import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, POLICY, startHostWithDocuments } from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { authorizationUrl, type Host } from '../../support/host.ts'
import { authorizePublic, createPkce } from '../../support/public-application.ts'

const STRANGER = 'https://evil.example.com/client.json'
const NAMED = 'https://named.example.com/client.json'
const PHISHING = 'https://phishing.example.net/'

/** Requests that fail before any person is asked. */
const FAILING: readonly (readonly [error: string, parameters: Record<string, string>])[] = [
  ['login_required', { prompt: 'none', ...createPkce().challenge }],
  ['invalid_request', {}],
  ['invalid_scope', { scope: 'invoices:none', ...createPkce().challenge }],
  ['unsupported_response_type', { response_type: 'token', ...createPkce().challenge }],
]

describe('errors of a client whose host the operator did not name', () => {
  let host: Host
  let documents: DocumentHost
  beforeAll(async () => {
    const clientDocuments = [
      { ...POLICY, match: 'https://named.example.com/*' },
      { ...POLICY, match: 'https://*' },
    ]
    ;({ host, documents } = await startHostWithDocuments(memoryStore(), { gatehouse: { clientDocuments } }))
    for (const clientId of [STRANGER, NAMED])
      documents.serve(clientId, documentOf(clientId, { redirect_uris: [PHISHING] }))
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  const open = (clientId: string, parameters: Record<string, string>) =>
    host
      .browser()
      .open(
        authorizationUrl(host, clientId, { redirect_uri: PHISHING, scope: 'invoices:read', ...parameters }),
      )

  it('an error before the person has decided ends on our page, and never sends the browser to the client', async () => {
    for (const [error, parameters] of FAILING) {
      const page = await open(STRANGER, parameters)
      expect([page.url.origin, page.status], error).toEqual([host.origin, 400])
      expect(page.headers.get('location')).toBeNull()
      expect(page.body).toContain('<bdi>evil.example.com</bdi> sent you here')
      expect(page.body).toContain(error)
      expect(page.body).not.toContain('phishing')
      expect((await open(NAMED, parameters)).url.searchParams.get('error'), error).toBe(error)
    }
  })

  it('after the person has denied or approved, errors go back to the client', async () => {
    const options = { redirect_uri: PHISHING, parameters: { scope: 'invoices:read' } }
    const denied = await authorizePublic(host, STRANGER, { ...options, deny: true })
    expect(denied.callback.href).toMatch(/^https:\/\/phishing.example.net\/\?error=access_denied/)
    const { browser, code } = await authorizePublic(host, STRANGER, options)
    expect(code).not.toBe('')
    const parameters = { ...options.parameters, prompt: 'none' }
    const silent = await authorizePublic(host, STRANGER, { ...options, browser, parameters })
    expect(silent.callback.searchParams.get('error')).toBe('consent_required')
  })
})

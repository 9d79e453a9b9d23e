import type { Context } from 'koa'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import type { ConsentPreview } from '../../../src/authorization-server/interaction/consent-preview.ts'
import type { Account } from '../../../src/host/accounts.ts'
import { csrfIn, hostApp } from './host-app.ts'

const application: ConsentPreview['application'] = {
  kind: 'application',
  clientId: 'app-1',
  accountId: 'acme',
  name: 'Ledgerly',
  products: ['invoices', 'payments'],
  removedOperations: ['invoices:create'],
  disabled: false,
  epoch: 0,
  createdAt: 1_800_000_000,
  redirectUris: ['https://ledgerly.example/callback?a=1', 'http://localhost:3000/'],
  postLogoutRedirectUris: [],
  logoUri: 'https://cdn.ledgerly.example/logo.png',
  firstParty: false,
}
const developer = {
  id: 'acme',
  kycLevel: 'verified',
  claims: { name: 'Acme Ltd', email: 'ops@acme.example' },
}
const viewer = { accountId: 'alice' }

/** Opens a preview at a host with these accounts. */
async function preview(
  changes: Partial<ConsentPreview> = {},
  accounts: readonly Account[] = [developer, { id: 'alice', claims: { name: 'Alice Example' } }],
) {
  const host = hostApp({ accounts: { find: (id) => accounts.find((account) => account.id === id) } })
  host.app.use((ctx: Context) => host.previewConsent(ctx, { application, viewer, ...changes }))
  const answer = await request(host.app.callback()).get('/preview')
  expect(host.errors).toEqual([])
  expect(host.fake.calls).toEqual([])
  return answer
}

const scopesIn = (markup: string) =>
  [...markup.matchAll(/<input\s+type="checkbox"[^>]*value="([^"]*)"[^>]*checked/g)].map(([, scope]) => scope)
const textOf = (markup: string) => markup.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

describe('the preview of the consent page', () => {
  it('the preview shows the page as a user sees it at the first time, with the account of the viewer', async () => {
    const { status, text } = await preview()
    expect(status).toBe(200)
    expect(text).toContain(
      '<title>Preview: Ledgerly wants access to your Example Bank account · Example Bank</title>',
    )
    const read = textOf(text)
    expect(read).toContain('by Acme Ltd')
    expect(read).not.toContain('ops@acme.example')
    expect(read).toContain('Signed in as Alice Example')
    expect(read).toContain('You will be sent back to https://ledgerly.example .')
    expect(read).toContain('does not use it for 30 days')
    expect(scopesIn(text)).toEqual([
      'profile',
      'email',
      'invoices:read',
      'payments:list',
      'payments:transfer',
    ])
  })

  it("the preview shows the scopes that the developer's KYC level allows now", async () => {
    const { text } = await preview({}, [{ ...developer, kycLevel: 'basic' }])
    expect(scopesIn(text)).toEqual(['profile', 'email', 'invoices:read', 'payments:list'])
    expect(textOf(text)).toContain('Signed in as alice')
  })

  it('the preview of given scopes leaves out what the application may not request', async () => {
    const scopes = ['openid', 'payments:list', 'invoices:create', 'unknown']
    expect(scopesIn((await preview({ scopes })).text)).toEqual(['payments:list'])
  })

  it('the preview has no CSRF token, posts nothing, and only its own origin may frame it', async () => {
    const { text, headers } = await preview()
    expect(csrfIn(text)).toBe('')
    expect(text).not.toMatch(/csrf|method="post"|\/interaction\/|autofocus/i)
    expect(text.match(/<form method="get" action=""/g)).toHaveLength(2)
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(headers['content-security-policy']).toMatch(
      /img-src 'self' https:\/\/cdn\.ledgerly\.example; form-action 'none'; frame-ancestors 'self';/,
    )
    expect(headers['cache-control']).toBe('no-store')
  })

  it('an application without redirect URIs, products and a known developer has a preview', async () => {
    const { status, text } = await preview(
      { application: { ...application, redirectUris: [], products: [] } },
      [],
    )
    expect(status).toBe(200)
    expect(textOf(text)).not.toContain('sent back')
    expect(scopesIn(text)).toEqual(['profile', 'email'])
  })
})

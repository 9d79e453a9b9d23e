import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { setPageHeaders, type PageNeeds } from '../../src/http/security-headers.ts'

function headersFor(needs: Partial<PageNeeds>): Record<string, string> {
  const headers: Record<string, string> = {}
  const ctx = { set: (more: Record<string, string>) => Object.assign(headers, more) } as unknown as Context
  setPageHeaders(ctx, { styleHash: 'sha256-abc=', ...needs })
  return headers
}

const policyFor = (needs: Partial<PageNeeds>) => headersFor(needs)['Content-Security-Policy']

describe('headers of a page', () => {
  it('the headers of a page forbid scripts, framing and caching', () => {
    expect(headersFor({})).toMatchObject({
      'Content-Security-Policy':
        "default-src 'none'; style-src 'sha256-abc='; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    })
  })

  it('the headers of a preview allow framing by the same origin alone, and no form', () => {
    expect(headersFor({ isPreview: true, formTargets: ['https://a.example/'] })).toMatchObject({
      'Content-Security-Policy':
        "default-src 'none'; style-src 'sha256-abc='; img-src 'self'; form-action 'none'; frame-ancestors 'self'; base-uri 'none'",
      'X-Frame-Options': 'SAMEORIGIN',
    })
  })

  it('the headers of a page keep the opener window, for authorizations in a popup', () => {
    expect(headersFor({})).not.toHaveProperty('Cross-Origin-Opener-Policy')
  })

  it('the headers of a page allow each origin of its images and form targets once', () => {
    const policy = policyFor({
      images: ['https://cdn.example/a.png', 'https://cdn.example/b.png', '/logo.png', undefined],
      formTargets: ['http://localhost:3001/callback', 'http://[::1]:8080/x'],
    })
    expect(policy).toContain("; img-src 'self' https://cdn.example;")
    expect(policy).toContain("; form-action 'self' http://localhost:3001 http://[::1]:8080;")
  })

  it('the headers of a page omit an address that could change the policy', () => {
    for (const address of [
      "https://x;script-src'unsafe-inline'/",
      'https://a,b/',
      "https://'unsafe-inline'/",
      'https://*/',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://a b/',
      '',
    ]) {
      expect(policyFor({ images: [address], formTargets: [address] })).toBe(policyFor({}))
    }
  })
})

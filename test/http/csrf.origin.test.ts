import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { isFromOwnPage } from '../../src/http/csrf.ts'

const ISSUER = 'https://example.com'
const HOST = 'https://app.example.com'

function contextOf(headers: Record<string, string>): Context {
  const get = (name: string) => headers[name] ?? ''
  return { get, protocol: 'https', host: 'app.example.com' } as unknown as Context
}

/** The three demands side by side: which surface accepts a request with these headers. */
const CASES: [
  headers: Record<string, string>,
  accepted: { consent: boolean; console: boolean; management: boolean },
][] = [
  [{}, { consent: true, console: true, management: false }],
  [{ 'Sec-Fetch-Site': 'same-origin' }, { consent: true, console: true, management: true }],
  [{ Origin: ISSUER }, { consent: true, console: true, management: true }],
  [{ Origin: HOST }, { consent: false, console: true, management: true }],
  [
    { 'Sec-Fetch-Site': 'same-origin', Origin: ISSUER },
    { consent: true, console: true, management: true },
  ],
  // A proxy that changes the name of the host changes what the service takes for its own origin.
  [
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://public.example' },
    { consent: false, console: true, management: true },
  ],
  // A page without a referrer sends the Origin `null`.
  [{ Origin: 'null' }, { consent: false, console: true, management: false }],
  [{ 'Sec-Fetch-Site': 'same-site' }, { consent: false, console: false, management: false }],
  [{ 'Sec-Fetch-Site': 'none' }, { consent: false, console: false, management: false }],
  [
    { 'Sec-Fetch-Site': 'cross-site', Origin: ISSUER },
    { consent: false, console: false, management: false },
  ],
  [{ Origin: 'https://example.com.evil.example' }, { consent: false, console: false, management: false }],
  [{ Origin: 'http://example.com' }, { consent: false, console: false, management: false }],
]

describe('isFromOwnPage()', () => {
  it('each surface has its own demands on the headers of a request', () => {
    for (const [headers, accepted] of CASES) {
      const ctx = contextOf(headers)
      expect([
        headers,
        {
          consent: isFromOwnPage(ctx, 'consent', ISSUER),
          console: isFromOwnPage(ctx, 'console', ISSUER),
          management: isFromOwnPage(ctx, 'management', ISSUER),
        },
      ]).toEqual([headers, accepted])
    }
  })
})

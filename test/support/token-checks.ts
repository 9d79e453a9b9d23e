import { expect, vi } from 'vitest'
import type { Host } from './host.ts'

const CALL = 'GET /invoices/list'

/**
 * Asserts that the host's gateway rejects one or more access tokens with 401, and that no call reaches the
 * handler.
 *
 * @param target the API call; each token must have the scope of this call
 */
export async function expectRejected(host: Host, tokens: unknown, target = CALL): Promise<void> {
  const reached = host.reached.length
  for (const token of [tokens].flat()) {
    const { status, headers, body } = await host.call(target, String(token))
    expect([status, body['error']]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
  }
  expect(host.reached).toHaveLength(reached)
}

/** Waits until the host's gateway rejects an access token that another process has revoked. */
export async function expectRejectedSoon(host: Host, token: unknown): Promise<void> {
  await vi.waitFor(() => expectRejected(host, token), { timeout: 1000, interval: 10 })
}

/** Asserts that the host's gateway accepts one or more access tokens. */
export async function expectAccepted(host: Host, tokens: unknown, target = CALL): Promise<void> {
  for (const token of [tokens].flat()) expect((await host.call(target, String(token))).status).toBe(200)
}

/**
 * Freezes the clock at the start of a second. All tokens of a test then have the same `iat`, which counts in
 * seconds, so a revocation cannot depend on `iat`.
 */
export function freezeSecond(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 })
}

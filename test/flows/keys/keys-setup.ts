import { decodeProtectedHeader, type JWK } from 'jose'
import { expect } from 'vitest'
import type { Host } from '../../support/host.ts'

/** The id of the key that signed a token. */
export const kidOf = (token: unknown): string => String(decodeProtectedHeader(String(token)).kid)

/** Requests a direct token at the process of `host`. All processes have the same issuer. */
export async function tokenAt(host: Host, key: object): Promise<unknown> {
  const { status, body } = await host.post(`${host.origin}/auth/oauth2/token`, {
    ...key,
    grant_type: 'client_credentials',
  })
  expect(status).toBe(200)
  return body['access_token']
}

/** Calls the API at the process of `host`. */
export async function callAt(host: Host, token: unknown): Promise<{ status: number; body: object }> {
  const headers = { authorization: `Bearer ${String(token)}` }
  const response = await fetch(`${host.origin}/api/invoices/list`, { headers })
  return { status: response.status, body: (await response.json()) as object }
}

/** The status of an API call at the process of `host`. */
export const statusAt = async (host: Host, token: unknown): Promise<number> =>
  (await callAt(host, token)).status

/** The keys that the process of `host` publishes. */
export async function publishedAt(host: Host): Promise<JWK[]> {
  const response = await fetch(`${host.origin}/auth/oauth2/jwks`)
  return ((await response.json()) as { keys: JWK[] }).keys
}

/** The ids of the keys that the process of `host` publishes. */
export const kidsAt = async (host: Host): Promise<(string | undefined)[]> =>
  (await publishedAt(host)).map(({ kid }) => kid)

import { createHash, randomBytes } from 'node:crypto'
import { authorize, type Host, type Tokens } from './host.ts'

/** A loopback redirect URI as a program registers it, without a port (RFC 8252 7.3). */
export const LOOPBACK = 'http://127.0.0.1/callback'

/** A new pair of code verifier and code challenge (RFC 7636 4). */
export function createPkce() {
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, challenge: { code_challenge, code_challenge_method: 'S256' } }
}

/** Creates a public application of the account `acme`. Resolves with its client id. */
export async function createPublicApplication(host: Host, overrides: object = {}): Promise<string> {
  const input = { isPublic: true, redirectUris: [LOOPBACK], ...overrides }
  const { client_id } = await host.createApplication(input)
  return client_id
}

/** Runs the flow of a public application up to the redirect with the code. */
export async function authorizePublic(
  host: Host,
  client_id: string,
  { redirect_uri = 'http://127.0.0.1:51004/callback', ...options }: PublicOptions = {},
) {
  const { verifier, challenge } = createPkce()
  const parameters = { redirect_uri, ...challenge, ...options.parameters }
  const authorized = await authorize(host, client_id, { ...options, parameters })
  const { code } = authorized
  const exchange = {
    client_id,
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    code_verifier: verifier,
  }
  return { ...authorized, exchange }
}

type PublicOptions = Parameters<typeof authorize>[2] & { readonly redirect_uri?: string }

/** Runs the whole flow of a public application, from the authorization request to the tokens. */
export async function connectPublic(host: Host, client_id: string, options?: PublicOptions): Promise<Tokens> {
  const { exchange, pages, callback } = await authorizePublic(host, client_id, options)
  if (exchange.code === '') throw new Error(`no code, but ${callback.href}\n${pages.at(-1)?.body}`)
  const { body, status } = await host.token(exchange)
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`)
  return body as unknown as Tokens
}

import type { Client } from '../registry/client.ts'

/** What of the registry is needed to know a client by its secret. */
export interface ClientSecrets {
  find(clientId: string): Promise<Client | undefined>
  verifySecret(client: Client, secret: string): Promise<boolean>
}

/** What a client id and a secret may consist of (RFC 6749 A.1, A.2). */
const VISIBLE = /^[\x20-\x7e]{1,256}$/

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i

/**
 * The client that a request by HTTP Basic comes from (RFC 6749 2.3.1): both parts are form-encoded.
 *
 * @param authorization the header; empty if there is none
 * @returns undefined for all that is no client with its secret: unknown, disabled, malformed
 */
export async function authenticateClient(
  registry: ClientSecrets,
  authorization: string,
): Promise<Client | undefined> {
  const credentials = readBasic(authorization)
  // What cannot be an id is nothing to ask a host's database for.
  if (!credentials) return undefined
  const client = await registry.find(credentials.clientId)
  if (!client || client.disabled) return undefined
  return (await registry.verifySecret(client, credentials.clientSecret)) ? client : undefined
}

function readBasic(authorization: string): { clientId: string; clientSecret: string } | undefined {
  const text = Buffer.from(BASIC.exec(authorization)?.[1] ?? '', 'base64').toString()
  const colon = text.indexOf(':')
  const clientId = decode(text.slice(0, Math.max(colon, 0)))
  const clientSecret = decode(text.slice(colon + 1))
  return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
}

function decode(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded.replaceAll('+', ' '))
    return VISIBLE.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

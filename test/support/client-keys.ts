import { randomUUID } from 'node:crypto'
import { exportJWK, exportPKCS8, exportSPKI, SignJWT, type JWTPayload } from 'jose'
import { keyPairOf } from './rsa-keys.ts'

/** `client_assertion_type` of an assertion (RFC 7523 2.2). */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

type Algorithm = 'ES256' | 'RS256' | 'PS256'

/** Creates a key pair with which a client authenticates, in all forms. */
export async function createClientKey(alg: Algorithm = 'ES256') {
  const { privateKey, publicKey } = await keyPairOf(alg)
  return {
    alg,
    privateKey,
    jwk: await exportJWK(publicKey),
    privateJwk: await exportJWK(privateKey),
    pem: await exportSPKI(publicKey),
    privatePem: await exportPKCS8(privateKey),
  }
}

export type ClientKey = Awaited<ReturnType<typeof createClientKey>>

/** Makes an assertion (RFC 7523 3). A claim or header field that is undefined is left out. */
export async function signAssertion(
  { privateKey, alg }: Pick<ClientKey, 'privateKey' | 'alg'>,
  clientId: string,
  audience: string,
  change: { readonly claims?: JWTPayload; readonly header?: object } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: audience, exp: now + 60, iat: now, jti: randomUUID() }
  return new SignJWT({ ...claims, ...change.claims })
    .setProtectedHeader({ alg, ...change.header })
    .sign(privateKey)
}

/** The parameters of a request with an assertion. */
export function asParameters(assertion: string) {
  return { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion }
}

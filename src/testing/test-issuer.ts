import { createServer, type Server } from 'node:http'
import { generateSigningKey, toPublicJwk } from '../keys/generate-key.ts'
import { signToken, type MintedToken } from './mint-token.ts'

/** A small authorization server for tests. Use it for an API that runs only a gateway (`createGateway`). */
export interface TestIssuer {
  /** For `createGateway({ issuer })`. */
  readonly issuer: string
  /**
   * For `createGateway({ jwksUri })`. This option may be left out, because its default for this issuer is the
   * same address.
   */
  readonly jwksUri: string
  /** Signs an access token that the gateway accepts, as the function `mintToken` does for a gatehouse. */
  mintToken(token: MintedToken): Promise<string>
  /** Stops serving keys. Idempotent. */
  close(): Promise<void>
}

/**
 * Starts an issuer for tests. It signs tokens with a key, and publishes the key with an HTTP server on
 * loopback.
 *
 * @param options.audience the address of the API under test ({base_url}), which becomes `aud` of the tokens
 * @param options.port the port of 127.0.0.1 on which the issuer listens. Default: a free port
 */
export async function createTestIssuer(options: {
  readonly audience: string
  readonly port?: number | undefined
}): Promise<TestIssuer> {
  const key = await generateSigningKey('ES256')
  const server = await serve(JSON.stringify({ keys: [toPublicJwk(key)] }), options.port ?? 0)
  const { port } = server.address() as { port: number }
  const issuer = `http://127.0.0.1:${port}`

  return {
    issuer,
    jwksUri: `${issuer}/oauth2/jwks`,
    mintToken: (token) => signToken(key, { issuer, audience: options.audience, lifetime: 3600 }, token),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function serve(keys: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const isKeys = request.url === '/oauth2/jwks'
    response
      .writeHead(isKeys ? 200 : 404, { 'Content-Type': 'application/jwk-set+json' })
      .end(isKeys ? keys : '{}')
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

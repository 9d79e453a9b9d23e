import { createLiveCatalog } from './catalog/live-catalog.ts'
import type { ProductSource } from './catalog/definition.ts'
import { collectProblems } from './errors.ts'
import { createGatewayFrom, type Gateway } from './gateway/gateway.ts'
import { remoteKeys } from './gateway/remote-keys.ts'
import { silentLogger, type Logger } from './host/logger.ts'
import type { CheckedProducts, ScopeOf } from './infer.ts'
import { addressProblem } from './settings/address.ts'

export { GatehouseError, type GatehouseErrorCode, type Problem } from './errors.ts'
export type {
  Authenticated,
  AuthenticateOptions,
  Authentication,
  IncomingCall,
} from './gateway/authenticate.ts'
export type { Gateway } from './gateway/gateway.ts'
export type { GatewayMiddlewareOptions } from './gateway/guard.ts'
export type { Principal } from './gateway/principal.ts'
export type { PublicRoute } from './gateway/public-routes.ts'
export type { Refusal } from './gateway/refusal.ts'
export type { Logger } from './host/logger.ts'

/** What `createGateway` takes. */
export interface GatewayOptions<Products extends ProductSource = ProductSource> {
  /** {auth_url}: address of the authorization service, exactly as it is configured there. */
  readonly issuer: string
  /** {base_url}: address of this API, exactly as the authorization service has it; `aud` of the tokens. */
  readonly audience: string
  /**
   * The products, or a function that loads them once, when they are first needed. Those whose operations
   * this process serves are enough; KYC levels play no part here.
   */
  readonly products: Products
  /**
   * Where the public keys are. `https:`, or `http:` on loopback: whoever can change them on the way can sign
   * tokens. @default `${issuer}/oauth2/jwks`
   */
  readonly jwksUri?: string | undefined
  /** Where operators' messages go. @default nowhere */
  readonly logger?: Logger | undefined
}

/**
 * Creates the gateway of an API that runs in another process than the authorization service. It verifies tokens
 * by the service's public keys, fetched over HTTP and kept, and needs nothing else of it: no store, no secret.
 * Synchronous and without I/O; the keys are fetched with `ready()` or the first call.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` and `ERR_CATALOG`, each with all that is wrong at once
 */
export function createGateway<const Products extends ProductSource>(
  options: GatewayOptions<Products> & { readonly products: CheckedProducts<Products> },
): Gateway<ScopeOf<Products>> {
  checkOptions(options)
  const { issuer, audience, products, logger = silentLogger } = options
  const catalog = createLiveCatalog({
    products,
    onRefused: (error) => logger.error({ err: error }, 'the products could not be loaded'),
  })
  const keys = remoteKeys({ jwksUri: options.jwksUri ?? `${issuer}/oauth2/jwks`, logger })

  return createGatewayFrom({
    issuer,
    audience,
    getKey: keys.getKey,
    findScope: (method, path) => catalog.current.findOperation(method, path)?.scope,
    isKnownScope: (scope) => !catalog.loaded || catalog.current.operations.has(scope),
    listScopes: () => (catalog.loaded ? [...catalog.current.operations.keys()] : []),
    // Which tokens were taken back is known where they are issued; here they live until they expire.
    isRevoked: () => false,
    ready: async () => void (await Promise.all([catalog.start(), keys.ready()])),
    close: keys.close,
    logger,
  })
}

const KNOWN = ['issuer', 'audience', 'products', 'jwksUri', 'logger']

function checkOptions(options: GatewayOptions): void {
  const problems = collectProblems('ERR_OPTIONS', 'the options of createGateway are not valid')
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) problems.add(name, `is not an option; there are ${KNOWN.join(', ')}`)
  }
  const { issuer, audience, products, jwksUri, logger } = options
  for (const [name, address] of Object.entries({ issuer, audience })) {
    const problem = addressProblem(address)
    if (problem !== undefined) problems.add(name, problem)
  }
  if (jwksUri !== undefined) {
    const url = URL.canParse(jwksUri) ? new URL(jwksUri) : undefined
    const problem = url
      ? addressProblem(url.origin)
      : "must be an absolute address such as 'https://example.com/auth/oauth2/jwks'"
    if (problem !== undefined) problems.add('jwksUri', problem)
  }
  if (typeof products !== 'function' && (typeof products !== 'object' || products === null)) {
    problems.add('products', 'must be an object of products, or a function that loads them')
  }
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    if (logger !== undefined && typeof logger?.[level] !== 'function')
      problems.add(`logger.${level}`, 'must be a function')
  }
  problems.throwIfAny()
}

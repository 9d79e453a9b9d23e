import { REFRESH_SECONDS } from '../catalog/live-catalog.ts'
import { JWKS_CACHE_SECONDS } from '../gateway/remote-keys.ts'
import { FEED_TIMEOUT_MS } from '../revocation/http-source.ts'
import type { GatewayOptions } from './gateway-options.ts'
import {
  exactObjectOf,
  optional,
  together,
  type AddProblem,
  type Rule,
  type ValueOf,
  visibleTextRule,
} from '../validation/rules.ts'
import { storeRule } from './host-interfaces.ts'
import { milliseconds, readOptions, REVOCATION_FIELDS, seconds, SHARED_FIELDS } from './shared-schema.ts'
import { endpointProblem } from './urls.ts'

function endpoint(example: string): Rule<string | undefined> {
  return optional((value) => endpointProblem(value, example))
}

const feedRule = exactObjectOf({
  ...REVOCATION_FIELDS,
  store: optional(storeRule),
  clientId: optional(visibleTextRule),
  clientSecret: optional(visibleTextRule),
  uri: endpoint('https://example.com/auth/oauth2/revocations'),
  timeoutMs: milliseconds(FEED_TIMEOUT_MS),
})

const gatewayRule = exactObjectOf({
  ...SHARED_FIELDS,
  productsRefreshSeconds: seconds(REFRESH_SECONDS),
  jwksUri: endpoint('https://example.com/auth/oauth2/jwks'),
  jwksCacheSeconds: seconds(JWKS_CACHE_SECONDS),
  revocations: optional(together(feedRule, checkFeed)),
})

function checkFeed(feed: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { store, clientId, clientSecret } = feed
  if (store !== undefined) {
    for (const name of ['clientId', 'clientSecret', 'uri'].filter((key) => feed[key] !== undefined)) {
      const message = 'must not be set beside store, which is already the source of revocations'
      add([name], { code: 'not-allowed', message })
    }
  } else if (clientId === undefined && clientSecret === undefined) {
    const message = 'must have store, or clientId and clientSecret of an API key: the source of revocations'
    add([], { code: 'required', message })
  } else if (clientId === undefined)
    add(['clientId'], { code: 'required', message: 'is required beside clientSecret' })
  else if (clientSecret === undefined)
    add(['clientSecret'], { code: 'required', message: 'is required beside clientId' })
}

export type ResolvedGatewayOptions = ReturnType<typeof resolveGatewayOptions>

/**
 * Checks the options of `createGateway`, adds the defaults and freezes the result.
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems, each with its path and the remedy
 */
export function resolveGatewayOptions(options: GatewayOptions) {
  const parsed = readOptions('the options of createGateway are not valid', gatewayRule, options)
  const { issuer, jwksUri = `${issuer}/oauth2/jwks`, revocations } = parsed
  return Object.freeze({ ...parsed, jwksUri, revocations: revocations && resolveFeed(revocations, issuer) })
}

/** `checkFeed` has checked that `feed` has either a store or the credentials of an API key. */
function resolveFeed(feed: ValueOf<typeof feedRule>, issuer: string) {
  const { store, clientId = '', clientSecret = '', uri = `${issuer}/oauth2/revocations`, ...policy } = feed
  return Object.freeze({ ...policy, ...(store ? { store } : { clientId, clientSecret, uri }) })
}

import type { Pages } from '../authorization-server/interaction/pages.ts'
import type { Provider } from '../authorization-server/provider/build-provider.ts'
import { createInteractionPort } from '../authorization-server/provider/endpoints/authorize/interaction-port.ts'
import { jwksMaxAge } from '../authorization-server/provider/endpoints/jwks.ts'
import type { AuthorizationServerParts } from '../authorization-server/routing/authorization-server.ts'
import { createInsecureProxyWarning } from '../authorization-server/routing/insecure-proxy-warning.ts'
import { createRequestsInFlight } from '../authorization-server/routing/requests-in-flight.ts'
import { GatehouseError } from '../errors.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Authorizations } from './wire-grants.ts'

/**
 * Wires what answers the requests below {auth_url}.
 *
 * @param running.provider the provider of the running service; undefined if the service is not running
 * @param running.ready waits for the start, as each request does
 */
export function createServerParts(
  core: Core,
  { registry, clientUsed }: Clients,
  { consents }: Authorizations,
  pages: Pages,
  running: { provider(): Provider | undefined } & Pick<AuthorizationServerParts, 'ready'>,
): AuthorizationServerParts {
  const { settings, catalog, accounts, events, audit, logger } = core

  function requireProvider(): Provider {
    const provider = running.provider()
    if (provider) return provider
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  const shared = { settings, catalog, registry, accounts, events, audit }
  return {
    ...shared,
    clientUsed,
    pages,
    port: createInteractionPort({ ...shared, consents, provider: requireProvider }),
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    revocationSource: core.revocationLog,
    warnOnInsecureProxy: createInsecureProxyWarning(settings),
    requestsInFlight: createRequestsInFlight({ max: settings.maxTokenRequests, logger }),
    jwksMaxAge: jwksMaxAge(
      'jwks' in settings.signingKeys ? Infinity : settings.signingKeys.publishAheadSeconds,
    ),
    ready: running.ready,
  }
}

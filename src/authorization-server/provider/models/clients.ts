import { Provider, type Adapter, type KoaContextWithOIDC } from 'oidc-provider'
import type { HostRegistry } from '../../../clients/host-registry.ts'
import { isPrintableAscii } from '../../../validation/predicates.ts'
import { toClientMetadata } from '../client-metadata.ts'
import { requestState } from '../request-state.ts'
import { isFrontChannel } from '../request-kind.ts'
import { modelAdapter } from './adapter.ts'

/**
 * Whether a host's registry is asked for it at all. A database may choke on a NUL; and oidc-provider keeps what
 * a session holds about each client in a plain object, where `constructor` and its like are there already, for
 * all sessions.
 */
function isAskedFor(clientId: string): boolean {
  return isPrintableAscii(clientId) && !(clientId in Object.prototype)
}

/**
 * API keys and applications as oidc-provider's clients. A disabled one does not exist, nor does an API key where a
 * browser brings the request: whoever makes up a `client_id` learns nothing about it.
 *
 * @param prefetch begins to look up what the request presents while its client is still looked up, which saves a
 *   round trip
 */
export function clients(registry: HostRegistry, prefetch: (ctx: KoaContextWithOIDC) => void): Adapter {
  return modelAdapter('Client', {
    async find(clientId) {
      if (!isAskedFor(clientId)) return undefined
      if (Provider.ctx) prefetch(Provider.ctx)
      const record = await registry.find(clientId)
      if (!record || record.disabled || (record.kind === 'apiKey' && isFrontChannel())) return undefined
      if (Provider.ctx) requestState(Provider.ctx).clients.set(clientId, record)
      return toClientMetadata(record)
    },
  })
}

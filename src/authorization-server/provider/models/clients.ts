import { type Adapter } from 'oidc-provider'
import { isPrintableAscii } from '../../../validation/predicates.ts'
import { toClientMetadata } from '../client-metadata.ts'
import type { ProviderParts } from '../dependencies.ts'
import { prefetch } from '../request-reads.ts'
import { currentContext, requestState } from '../request-state.ts'
import { FRONT_CHANNEL } from '../routes.ts'
import { modelAdapter } from './adapter.ts'

/**
 * Whether the host's registry is queried for an id. A database may fail on a NUL character. oidc-provider keeps a
 * session's data about each client in a plain object, where names such as `constructor` always exist.
 */
function isPossibleId(clientId: string): boolean {
  return isPrintableAscii(clientId) && !(clientId in Object.prototype)
}

/**
 * API keys and applications as oidc-provider's clients. A disabled client does not exist. For a request from a browser,
 * an API key does not exist either. So strangers cannot find out which `client_id` belongs to an API key.
 */
export function clients(parts: Parameters<typeof prefetch>[0] & Pick<ProviderParts, 'registry'>): Adapter {
  return modelAdapter('Client', {
    async find(clientId) {
      if (!isPossibleId(clientId)) return undefined
      const ctx = currentContext()
      prefetch(parts, ctx)
      const record = await parts.registry.find(clientId)
      if (!record || record.disabled) return undefined
      if (record.kind === 'apiKey' && FRONT_CHANNEL.test(ctx.oidc.route)) return undefined
      requestState(ctx).clients.set(clientId, record)
      return toClientMetadata(record)
    },
  })
}

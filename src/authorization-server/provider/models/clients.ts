import type { Adapter, KoaContextWithOIDC } from 'oidc-provider'
import type { Client } from '../../../clients/client.ts'
import { toClientMetadata, UNKNOWN_CLIENT } from '../client-metadata.ts'
import type { ProviderParts } from '../dependencies.ts'
import { prefetch } from '../request-reads.ts'
import { currentContext, requestState } from '../request-state.ts'
import { FRONT_CHANNEL } from '../routes.ts'
import { modelAdapter } from './adapter.ts'

/**
 * API keys and applications as oidc-provider's clients. oidc-provider does not find a disabled client. In a
 * request from a browser, oidc-provider finds only applications. So strangers cannot find out which
 * `client_id` belongs to an API key. In a sign-out request, oidc-provider finds a client for every id.
 */
export function clients(parts: Parameters<typeof prefetch>[0] & Pick<ProviderParts, 'registry'>): Adapter {
  async function findUsable(ctx: KoaContextWithOIDC, clientId: string): Promise<Client | undefined> {
    prefetch(parts, ctx)
    const { early } = requestState(ctx)
    const record = await (early?.registry ?? parts.registry).find(clientId)
    if (!record || record.disabled) return undefined
    return record.kind === 'apiKey' && FRONT_CHANNEL.test(ctx.oidc.route) ? undefined : record
  }

  return modelAdapter('Client', {
    async find(clientId) {
      const ctx = currentContext()
      const record = await findUsable(ctx, clientId)
      if (!record) return ctx.oidc.route.startsWith('end_session') ? UNKNOWN_CLIENT : undefined
      requestState(ctx).clients.set(clientId, record)
      return toClientMetadata(record)
    },
  })
}

import { Provider, type Adapter } from 'oidc-provider'
import type { Registry } from '../../registry/client.ts'
import { toClientMetadata } from '../client-metadata.ts'
import { requestState } from '../request-state.ts'
import { modelAdapter } from './adapter.ts'

/** No registry has ids longer than this; anything longer is not worth a look. */
const MAX_CLIENT_ID = 256

/** API keys and applications as oidc-provider's clients. A disabled one does not exist. */
export function clients(registry: Registry): Adapter {
  return modelAdapter('Client', {
    async find(clientId) {
      if (clientId.length > MAX_CLIENT_ID) return undefined
      const record = await registry.find(clientId)
      if (!record || record.disabled) return undefined
      if (Provider.ctx) requestState(Provider.ctx).clients.set(clientId, record)
      return toClientMetadata(record)
    },
  })
}

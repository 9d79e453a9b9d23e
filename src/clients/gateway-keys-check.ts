import { periodically } from '../async/periodically.ts'
import { fail, warn } from '../store/check-results.ts'
import type { Store, StoreCheck } from '../store/contract.ts'
import { readMembers } from '../store/pages-of-index.ts'
import { RESOURCE_SERVERS } from './index-entries.ts'
import { clientRecords } from './client-record.ts'
import type { Client } from './client.ts'
import { expiresSoon, isExpired } from './expiry-policy.ts'

/** Names the gateway keys that have expired, or expire within 30 days. Reads them once a minute. */
export function createGatewayKeysCheck({ store }: { readonly store: Store }) {
  const { getEach } = clientRecords(store)
  let keys: readonly Client[] = []

  async function read(): Promise<void> {
    const found = await getEach(await readMembers(store, RESOURCE_SERVERS))
    const clients = found.flatMap((record) => (record && 'client' in record ? [record.client] : []))
    keys = clients.filter((key) => !key.disabled && key.kind === 'apiKey' && key.resourceServer)
  }

  return {
    check(): StoreCheck[] {
      const expired = keys.filter((key) => isExpired(key))
      const named = [...expired, ...keys.filter((key) => expiresSoon(key, {}))]
      if (named.length === 0) return []
      const ids = named.map(({ clientId }) => clientId).join(', ')
      const [found, when] = expired.length > 0 ? [fail, 'have expired, or do so'] : [warn, 'expire']
      const remedy = 'Call apiKeys.update(clientId, { expiresAt: null }); disable a key that no gateway uses'
      return [found('gateway keys', `API keys of resource servers ${when} within 30 days: ${ids}`, remedy)]
    },
    start(): () => void {
      read().catch(() => {})
      return periodically(read, 60_000)
    },
  }
}

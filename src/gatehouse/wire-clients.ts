import { createApiKeys } from '../clients/api-keys.ts'
import { createApplications } from '../clients/applications.ts'
import { createClientCache } from '../clients/client-cache.ts'
import { isGatewayKey, type Client } from '../clients/client.ts'
import { createGatewayKeysCheck } from '../clients/gateway-keys-check.ts'
import { createLastUses } from '../clients/last-used.ts'
import { withRepairedEpochs } from '../clients/repair-epochs.ts'
import { type ClientTokens, createClientTokens } from '../clients/revoke-client-tokens.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { DocumentResolver } from '../clients/documents/resolve-document.ts'
import { storedIdOf } from '../clients/documents/document-id.ts'
import { isDocumentId } from '../validation/document-id.ts'
import { createIdempotency } from '../clients/idempotency.ts'
import { createHygiene } from '../clients/hygiene.ts'
import { createSecrets } from '../clients/leaked-secrets.ts'
import { createNameSearch } from '../clients/search-by-name.ts'
import { createExpiryNotices } from '../clients/expiry-notices.ts'
import type { UsedCredential } from '../clients/stored-secrets.ts'
import { createStates } from '../clients/why-no-token.ts'
import { createScopeLimitCheck } from '../clients/scope-limit-check.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { Core } from './wire-core.ts'

export type Clients = ReturnType<typeof createClients>

/** Token requests and introspection read clients through a cache, the services of clients always the store. */
export function createClients(core: Core) {
  const { settings, durable: store, logger, revoked } = core
  const { keyPolicy, secretPrefix, privateKeyJwt } = settings
  const documents = settings.clientDocuments.length > 0 ? loadDocuments(core) : undefined
  const loadPublicKeys = privateKeyJwt ? () => import('../clients/public-keys.ts') : undefined
  const lastUses = createLastUses({ store: core.store, logger })
  const secretUses = createLastUses({ store: core.store, logger }, 'secret-usage')
  const cache = createClientCache({ store, logger })
  const parts = {
    ...settings,
    ...core,
    store,
    lastUses,
    secretUses,
    oidcScopes: settings.openIdScopes,
    loadPublicKeys,
    clientChanged: cache.changed,
    idempotency: createIdempotency(
      store,
      settings.secrets.map((secret) => deriveKey(secret, 'idempotency')),
      secretPrefix,
    ),
  }
  const clientTokens = withHosts(createClientTokens(parts), store)
  const apiKeys = createApiKeys(parts)
  const applications = createApplications(parts)
  return {
    registry: withDocuments(withRepairedEpochs(cache, { store, known: revoked }), documents),
    /** The applications with metadata documents; undefined without the option `clientDocuments`. */
    documents,
    apiKeys,
    applications,
    clientTokens,
    lastUses,
    statesOf: createStates(core),
    searchByName: createNameSearch(store, lastUses),
    keyPolicy,
    loadPublicKeys,
    notifyOfExpiries: createExpiryNotices(parts).start,
    secrets: createSecrets({ store, apiKeys, applications }),
    hygiene: createHygiene(parts),
    scopeLimitCheck: createScopeLimitCheck(parts),
    gatewayKeysCheck: createGatewayKeysCheck(parts),
    /** Subscribes to the changes that other processes make, so that this process may cache clients. */
    follow: cache.follow,
    clientUsed(client: Client, secret?: UsedCredential) {
      lastUses.record(storedIdOf(client.clientId))
      if (secret) secretUses.record(secret.hash)
    },
    secretUsed(client: Client, { hash }: UsedCredential) {
      secretUses.record(hash)
      if (isGatewayKey(client)) lastUses.record(client.clientId)
    },
  }
}

function loadDocuments({ durable: store, settings, revoked: known, outgoing, memory }: Core) {
  let loaded: Promise<DocumentResolver> | undefined
  async function load(): Promise<DocumentResolver> {
    const [{ createDocumentResolver }, fetches] = await Promise.all([
      import('../clients/documents/resolve-document.ts'),
      outgoing(),
    ])
    return createDocumentResolver({ store, settings, outgoing: fetches, known, memory })
  }
  return () => (loaded ??= load())
}

/** A registry that also finds the applications with metadata documents. */
function withDocuments(
  registry: ClientRegistry,
  documents: (() => Promise<DocumentResolver>) | undefined,
): ClientRegistry {
  if (!documents) return registry
  return {
    find: async (clientId) =>
      isDocumentId(clientId) ? (await documents()).findStored(clientId) : registry.find(clientId),
  }
}

/** The tokens of clients, where a pending revocation may also be that of a blocked host. */
function withHosts(clientTokens: ClientTokens, store: Core['durable']): ClientTokens {
  return {
    ...clientTokens,
    async revocationsOf(id) {
      if (!isDocumentId(id)) return clientTokens.revocationsOf(id)
      const { revocationsOfHost } = await import('../clients/documents/blocked-hosts.ts')
      return revocationsOfHost(store, id)
    },
  }
}

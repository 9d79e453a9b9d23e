import type { JWK } from 'jose'
import { createErasePerson } from '../access/erase-person.ts'
import { createErasures } from '../access/erasures.ts'
import { createSessionList } from '../access/session-list.ts'
import type { Finishers } from '../commit/commit.ts'
import type { ClientDocuments } from '../clients/documents/document-service.ts'
import { createClientErasure } from '../clients/erase-from-clients.ts'
import { GatehouseError } from '../errors.ts'
import { createConnections } from '../grants/connections.ts'
import { createConsentStore } from '../grants/consent-store.ts'
import { createGrantLifecycle } from '../grants/grant-lifecycle.ts'
import { createGrantService, type GrantsOfUsers } from '../grants/grant-service.ts'
import { createGracePeriod } from '../grants/refresh-tokens/grace-period.ts'
import { createTokenFamilies } from '../grants/refresh-tokens/token-families.ts'
import { createRefreshTokenFormat } from '../grants/refresh-tokens/token-format.ts'
import { createRevokeLostOperations } from '../grants/revoke-lost-operations.ts'
import { deriveKey } from '../keys/derive-key.ts'
import { createEncryption } from '../keys/encryption.ts'
import { createHostKeys } from '../keys/host-keys.ts'
import { createRotatingKeys } from '../keys/rotating-keys.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { createLogMarks } from '../revocation/log-marks.ts'
import { createLongestLifetime } from '../revocation/longest-token-lifetime.ts'
import { createClients, type Clients } from './wire-clients.ts'
import { createCore, type Core } from './wire-core.ts'

/** What the start, the gateways, the services and the optional parts share. */
export type Parts = ReturnType<typeof createParts>

/** Creates everything that needs no running service: store, clients, grants, erasures and keys. Does no I/O. */
export function createParts(settings: ResolvedOptions) {
  const core = createCore(settings)
  const parts = { ...core, ...createClients(core), ...createGrants(core) }
  const { durable: store } = core
  const keys = createKeySource(core)
  const erasures = createErasures({ store, secrets: settings.secrets })
  const documents = createDocuments(parts)
  const lists = { clientErasure: createClientErasure(store), sessionList: createSessionList(store) }
  return {
    ...parts,
    erasures,
    ...createErasePerson({ ...parts, ...lists, store, erasures }),
    clientDocuments: documents.clientDocuments,
    finishers: finishersOf(parts, documents.finishHost),
    keys,
    signingKeys: { list: keys.list, rotate: keys.rotate, revoke: keys.revoke },
  }
}

/** How a process finishes what stopped processes began. */
function finishersOf(
  { clientTokens, resumeGrant, resumeAccount }: Clients & ReturnType<typeof createGrants>,
  host: Finishers['host'],
): Finishers {
  return {
    client: clientTokens.revocationsOf,
    grant: resumeGrant,
    account: resumeAccount,
    host,
  }
}

function createGrants(core: Core) {
  const { settings, durable } = core
  const { secrets, lifetimes, refreshTokenGraceSeconds: seconds, audience, openIdScopes } = settings
  const refreshTokenFormat = createRefreshTokenFormat(
    secrets.map((secret) => deriveKey(secret, 'refresh-tokens')),
  )
  const gracePeriod = createGracePeriod({
    seconds,
    keys: secrets.map((secret) => deriveKey(secret, 'refresh-retries')),
  })
  const families = createTokenFamilies(durable, refreshTokenFormat, {
    tombstoneTtl: lifetimes.authorizationCode + 60,
    gracePeriod,
    now: core.storeClock.now,
  })
  const grantLifecycle = createGrantLifecycle(durable, lifetimes)
  const consents = createConsentStore(durable, grantLifecycle.consentVersions, audience)
  const parts = {
    ...core,
    lifecycle: grantLifecycle,
    index: grantLifecycle.index,
    families,
    consents,
    audience,
  }
  return {
    ...createGrantService(parts),
    revokeLostOperations: createRevokeLostOperations({ ...parts, openIdScopes }),
    connections: createConnections(parts),
    refreshTokenFormat,
    families,
    grantLifecycle,
    consents,
  }
}

/** The service of client metadata documents, which is loaded only with the option `clientDocuments`. */
function createDocuments(parts: Core & Clients & { readonly grantsOfUsers: GrantsOfUsers }) {
  const { settings, durable: store, grantsOfUsers } = parts
  const policies = settings.clientDocuments
  let loaded: ReturnType<typeof load> | undefined

  async function load() {
    const { createDocumentService } = await import('../clients/documents/document-service.ts')
    return createDocumentService({ ...parts, store, policies, revokeGrants: grantsOfUsers.revokeOfClient })
  }

  async function service(): Promise<ClientDocuments> {
    if (policies.length > 0) return (await (loaded ??= load())).service
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'needs the option clientDocuments of createGatehouse')
  }

  const clientDocuments: ClientDocuments = {
    list: async (options) => (await service()).list(options),
    listBlocked: async () => (await service()).listBlocked(),
    block: async (host, options) => (await service()).block(host, options),
    unblock: async (host, options) => (await service()).unblock(host, options),
  }
  return {
    clientDocuments,
    finishHost: async (origin: string) => (await (loaded ??= load())).finishHost(origin),
  }
}

/** Keys in the store that rotate automatically, or keys that the host manages. */
function createKeySource(core: Core): KeySource {
  const { settings, durable, longestLifetime, revoked, revocations } = core
  const { signingKeys, lifetimes, secrets } = settings
  const parts = {
    ...core,
    async revokeKey(id: string, until: number, actor?: string): Promise<void> {
      await revocations.revokeAs(actor, { of: 'key', id, until })
    },
    isKeyRevoked: revoked.isKeyRevoked,
  }
  if ('jwks' in signingKeys) {
    return createHostKeys({ ...parts, keys: signingKeys.jwks.keys, onRevoked: revoked.onAdded })
  }
  // While a session lasts, a sign-out accepts its expired ID tokens (`id_token_hint`), so their keys stay published.
  const idTokenLifetime = Math.max(lifetimes.idToken, lifetimes.session)
  return createRotatingKeys({
    ...parts,
    store: durable,
    encryption: createEncryption<JWK>(secrets, 'signing-keys'),
    marks: createLogMarks(durable),
    schedule: signingKeys,
    longestLifetimes: {
      ES256: longestLifetime,
      RS256: createLongestLifetime(durable, idTokenLifetime, 'longest-id-token'),
    },
  })
}

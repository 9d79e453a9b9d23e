import type { KeySource } from '../keys/signing-keys.ts'
import { clientSection } from '../backup/clients.ts'
import { hostEpochSection } from '../backup/host-epochs.ts'
import { deletedClientSection } from '../backup/deleted-clients.ts'
import { exportRegistry } from '../backup/export.ts'
import type { Sections } from '../backup/sections.ts'
import { importRegistry, type ImportOptions } from '../backup/import.ts'
import { catalogSection } from '../backup/catalog.ts'
import { revocationSection } from '../backup/revocations.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { revocationOfCorrupt } from '../clients/access-epoch.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { GrantLifecycle } from '../grants/grant-lifecycle.ts'
import { createLongestLifetime } from '../revocation/longest-token-lifetime.ts'
import type { Subject, RevocationSpec } from '../revocation/revoke-tokens.ts'
import type { Base } from './wire-core.ts'

/** Grants of an account that are read at once. */
const PAGE_SIZE = 50

/** What moves from one store to another, of this gatehouse. */
export function wireBackup({
  base,
  keys,
  clientTokens,
  grantLifecycle,
  ready,
  requireOpen,
}: {
  readonly base: Base
  readonly keys: Pick<KeySource, 'exportable'>
  readonly clientTokens: Pick<ClientTokens, 'revocationsOf'>
  readonly grantLifecycle: Pick<GrantLifecycle, 'index' | 'hasStaleConsent'>
  readonly ready: () => Promise<unknown>
  /** @throws {GatehouseError} `ERR_CLOSED` */
  readonly requireOpen: () => void
}) {
  const { settings, durable: store, logger, longestLifetime, revoked, revocations } = base
  const ofIdTokens = (seconds: number) => createLongestLifetime(store, seconds, 'longest-id-token')
  const longestIdToken = ofIdTokens(1)

  /** What is taken from a client that will not be in the file because it cannot be read is all of it. */
  async function revocationsOf(id: string): Promise<readonly RevocationSpec[]> {
    try {
      return await clientTokens.revocationsOf(id)
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      // The epochs of a host's clients are its own.
      return settings.registry ? [{ of: 'client', id }] : revocationOfCorrupt(id, Date.now())
    }
  }

  /** What a pending change will revoke. */
  async function pendingSpecs({ of, id }: Subject): Promise<readonly RevocationSpec[]> {
    if (of === 'client') return revocationsOf(id)
    if (of === 'grant') return [{ of, id }]
    const specs: RevocationSpec[] = []
    for await (const { items, corrupt } of grantLifecycle.index.pages(id, PAGE_SIZE)) {
      for (const { grantId, record } of items) {
        if (await grantLifecycle.hasStaleConsent(record)) specs.push({ of: 'grant', id: grantId })
      }
      // A corrupt record cannot show whether its consent is stale.
      for (const { id: grantId } of corrupt) specs.push({ of: 'grant', id: grantId })
    }
    return specs
  }

  const hold: Sections = {
    async header() {
      const accessToken = await longestLifetime.seconds()
      const idToken = keys.exportable && (await longestIdToken.seconds())
      return {
        exportedAt: Math.floor(Date.now() / 1000),
        issuer: settings.issuer,
        clients: settings.registry ? 'host' : 'store',
        signingKeys: keys.exportable !== undefined,
        longestLifetimes: { accessToken, ...(idToken !== undefined && { idToken }) },
      }
    },
    async storeLifetimes({ accessToken, idToken }) {
      await createLongestLifetime(store, accessToken).seconds()
      if (idToken !== undefined) await ofIdTokens(idToken).seconds()
      // What is revoked from here on is kept for as long.
      await longestLifetime.seconds()
    },
    keys: keys.exportable,
    sections: {
      products: catalogSection(store),
      clients: clientSection(store),
      deletedClients: deletedClientSection(store),
      hostEpochs: hostEpochSection(store),
      revocations: revocationSection({
        log: base.revocationLog,
        known: revoked,
        listPending: () => revocations.listPending(pendingSpecs),
      }),
    },
    logger,
  }

  return {
    async *exportRegistry() {
      await ready()
      yield* exportRegistry(hold)
    },
    async importRegistry(lines: Parameters<typeof importRegistry>[1], options?: ImportOptions) {
      requireOpen()
      return importRegistry(hold, lines, options)
    },
  }
}

import type { Internals } from '../gatehouse/internals.ts'
import { clientSection } from './clients.ts'
import { deletedClientSection } from './deleted-clients.ts'
import { catalogSection } from './catalog.ts'
import { documentHostSection } from './document-hosts.ts'
import { erasureKeySection, erasureSection } from './erasures.ts'
import { revocationSection } from './revocations.ts'
import { revocationOfCorrupt } from '../clients/access-epoch.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import { createLongestLifetime } from '../revocation/longest-token-lifetime.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'
import type { Subject } from '../revocation/revoke-tokens.ts'
import type { Header } from './file-format.ts'

/** The number of an account's grants that are read at once. */
const PAGE_SIZE = 50

/** All sections of an exported registry, and the other parts that export and import need. */
export type Sections = ReturnType<typeof createSections>

/** Creates the sections of an export: products, clients, deleted clients, blocked hosts, keys, revocations and erasures. */
export function createSections(parts: Internals) {
  const { store, logger, longestLifetime, clientTokens, grantLifecycle, exportableKeys: keys } = parts
  const ofIdTokens = (seconds: number) => createLongestLifetime(store, seconds, 'longest-id-token')
  const longestIdToken = ofIdTokens(1)

  /**
   * The revocations to export for a client with a pending change. If the client's record is corrupt, its exact
   * revocations are unknown. All tokens of the client are then revoked.
   */
  async function revocationsOf(id: string): Promise<readonly RevocationSpec[]> {
    try {
      return await clientTokens.revocationsOf(id)
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      return revocationOfCorrupt(id, Date.now())
    }
  }

  /** The revocations that a pending change of a client, grant or account will store. */
  async function pendingSpecs({ of, id }: Subject): Promise<readonly RevocationSpec[]> {
    if (of === 'client') return revocationsOf(id)
    if (of === 'grant') return [{ of, id }]
    const specs: RevocationSpec[] = []
    for await (const { items, corrupt } of grantLifecycle.index.pages(id, PAGE_SIZE)) {
      for (const { grantId, record } of items) {
        if (await grantLifecycle.hasStaleConsent(record)) specs.push({ of: 'grant', id: grantId })
      }
      // A corrupt record does not show whether the grant was made before the pending change. So the grant is revoked.
      for (const { id: grantId } of corrupt) specs.push({ of: 'grant', id: grantId })
    }
    return specs
  }

  return {
    /** Returns the header for a file that is exported now. */
    async header(): Promise<Header> {
      const accessToken = await longestLifetime.seconds()
      const idToken = keys && (await longestIdToken.seconds())
      return {
        exportedAt: Math.floor(Date.now() / 1000),
        issuer: parts.issuer,
        signingKeys: keys !== undefined,
        longestLifetimes: { accessToken, ...(idToken !== undefined && { idToken }) },
      }
    },
    /** Stores the longest token lifetimes that the header of an imported file states. */
    async storeLifetimes({ accessToken, idToken }: Header['longestLifetimes']): Promise<void> {
      await createLongestLifetime(store, accessToken).seconds()
      if (idToken !== undefined) await ofIdTokens(idToken).seconds()
      // Reads the lifetime that is stored now. This process then keeps later revocations for that time.
      await longestLifetime.seconds()
    },
    /** The signing keys; undefined if the host manages them. */
    keys,
    sections: {
      products: catalogSection(store),
      clients: clientSection(store),
      deletedClients: deletedClientSection(store),
      documentHosts: documentHostSection(parts),
      revocations: revocationSection(parts, () => parts.revocations.listPending(pendingSpecs)),
      erasures: erasureSection(parts.erasures),
      erasureKeys: erasureKeySection(parts.erasures),
    },
    /** Erases again all people whom the store lists as erased. */
    eraseAgain: parts.eraseAgain,
    logger,
  }
}

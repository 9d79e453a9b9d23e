import type { KeySource } from '../keys/signing-keys.ts'
import { clientCargo } from '../moving/clients.ts'
import { countedEpochCargo } from '../moving/counted-epochs.ts'
import { deletedClientCargo } from '../moving/deleted-clients.ts'
import { exportRegistry } from '../moving/export-registry.ts'
import type { Hold } from '../moving/hold.ts'
import { importRegistry, type ImportOptions } from '../moving/import-registry.ts'
import { productCargo } from '../moving/products.ts'
import { revocationCargo } from '../moving/revocations.ts'
import type { ClientChanged } from '../registry/client-record.ts'
import type { ClientTokens } from '../registry/client-tokens.ts'
import { takenUnseen } from '../registry/taken.ts'
import { isUnreadable } from '../store/unreadable.ts'
import type { GrantLives } from '../tokens/grants/grant-lives.ts'
import { createLongestLifetime } from '../tokens/revocations/longest-lifetime.ts'
import type { Subject, Taken } from '../tokens/revocations/revocations.ts'
import type { Base } from './base.ts'

/** Grants of an account that are read at once. */
const PAGE = 50

/** What moves from one store to another, of this gatehouse. */
export function createMoving({
  base,
  keys,
  clientTokens,
  clientChanged,
  grantLives,
  ready,
}: {
  readonly base: Base
  readonly keys: Pick<KeySource, 'movable'>
  readonly clientTokens: Pick<ClientTokens, 'takenOf'>
  /** Told of each client that is changed. */
  readonly clientChanged: ClientChanged
  readonly grantLives: Pick<GrantLives, 'index' | 'isVoid'>
  readonly ready: () => Promise<unknown>
}) {
  const { settings, durable: store, logger, longestLifetime, revoked, revocations, catalogAgreement } = base
  const ofIdTokens = (seconds: number) => createLongestLifetime(store, seconds, 'longest-id-token')
  const longestIdToken = ofIdTokens(1)

  /** What is taken from a client that will not be in the file because it cannot be read is all of it. */
  async function takenOf(id: string): Promise<readonly Taken[]> {
    try {
      return await clientTokens.takenOf(id)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      // The epochs of a host's clients are its own.
      return settings.registry ? [{ of: 'client', id }] : takenUnseen(id, Date.now())
    }
  }

  /** What a change takes back that was begun, and may not have come to it. */
  async function takenBy({ of, id }: Subject): Promise<readonly Taken[]> {
    if (of === 'client') return takenOf(id)
    if (of === 'grant') return [{ of, id }]
    const taken: Taken[] = []
    let after: string | undefined
    do {
      const { items, unreadable, cursor } = await grantLives.index.page(id, { cursor: after, limit: PAGE })
      for (const { grantId, record } of items) {
        if (await grantLives.isVoid(record)) taken.push({ of: 'grant', id: grantId })
      }
      // Nobody can tell whether they are void.
      for (const { id: grantId } of unreadable) taken.push({ of: 'grant', id: grantId })
      after = cursor
    } while (after !== undefined)
    return taken
  }

  const hold: Hold = {
    async header() {
      const accessToken = await longestLifetime.seconds()
      const idToken = keys.movable && (await longestIdToken.seconds())
      return {
        exportedAt: Math.floor(Date.now() / 1000),
        issuer: settings.issuer,
        clients: settings.registry ? 'host' : 'store',
        signingKeys: keys.movable !== undefined,
        longestLifetimes: { accessToken, ...(idToken !== undefined && { idToken }) },
      }
    },
    async announce({ accessToken, idToken }) {
      await createLongestLifetime(store, accessToken).seconds()
      if (idToken !== undefined) await ofIdTokens(idToken).seconds()
      // What is taken back from here on is kept for as long.
      await longestLifetime.seconds()
    },
    keys: keys.movable,
    cargo: {
      products: productCargo({ store, longestLifetime, catchUp: catalogAgreement.catchUp, logger }),
      clients: clientCargo(store, clientChanged),
      deletedClients: deletedClientCargo(store),
      countedEpochs: countedEpochCargo(store),
      revocations: revocationCargo({
        log: base.revocationLog,
        known: revoked,
        underWay: () => revocations.underWay(takenBy),
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
      await ready()
      return importRegistry(hold, lines, options)
    },
  }
}

import { randomUUID } from 'node:crypto'
import type { Person } from '../host/subject.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { stringRule } from '../validation/rules.ts'

/** An account or one of its users; with `clientId`, only as far as this application is concerned. */
export interface AuthorizationHolder extends Person {
  readonly clientId?: string | undefined
}

/**
 * The consent versions at the time of an authorization. It has up to four holders: the account and its user, for all
 * applications or for the authorized one.
 *
 * To revoke everything that a holder authorized, a process stores a new version for the holder. From then on,
 * all authorizations without this version are rejected, even those that the grant index does not list yet.
 * Most holders never need such a revocation, so most holders have no version.
 */
export interface ConsentVersions {
  readonly account?: string | undefined
  readonly client?: string | undefined
  readonly user?: string | undefined
  readonly userClient?: string | undefined
  /** Of the metadata document at the decision. After its change, people are asked again. Their grants stay valid. */
  readonly document?: string | undefined
  /** How often the host of that document had been blocked. After a block, the authorization is rejected. */
  readonly host?: string | undefined
}

/** Revokes all that a holder authorized, by a new version. @param ttl seconds for which an authorization may be valid */
export function createConsentVersions(store: Store, ttl: number) {
  const records = createCollection<{ id: string }>(store, {
    name: 'consent-version',
    version: 1,
    fields: { id: stringRule },
  })

  return {
    async current({ accountId, userId }: Person, clientId: string): Promise<ConsentVersions> {
      const holders: { [Part in Exclude<keyof ConsentVersions, 'document' | 'host'>]?: AuthorizationHolder } =
        {
          account: { accountId },
          client: { accountId, clientId },
          ...(userId !== undefined && {
            user: { accountId, userId },
            userClient: { accountId, userId, clientId },
          }),
        }
      const found = await records.getMany(Object.values(holders).map(idOf))
      const parts = Object.keys(holders).map((part, at) => [part, found[at]?.id])
      return Object.fromEntries(parts.filter(([, id]) => id !== undefined)) as ConsentVersions
    },
    /** Revokes everything that the holder authorized so far. */
    async renew(holder: AuthorizationHolder): Promise<void> {
      // Random, because a counter would start at 0 again after its record has expired.
      await records.set(idOf(holder), { id: randomUUID() }, ttl)
    },
  }
}

export type ConsentVersionStore = ReturnType<typeof createConsentVersions>

/** Whether an authorization is still valid. A version that is absent now revoked nothing, or all of it has expired. */
export function isOfVersions(then: ConsentVersions | undefined, now: ConsentVersions): boolean {
  const parts = ['account', 'client', 'user', 'userClient', 'document', 'host'] as const
  return parts.every((part) => now[part] === undefined || now[part] === then?.[part])
}

/** The ids are hashed, because the host's ids may have any length and any characters. */
function idOf({ accountId, userId, clientId }: AuthorizationHolder): string {
  const parts = clientId === undefined ? [accountId] : [accountId, clientId]
  return digest(JSON.stringify(userId === undefined ? parts : [accountId, clientId ?? null, userId]))
}

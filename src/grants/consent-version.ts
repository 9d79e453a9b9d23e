import { randomUUID } from 'node:crypto'
import type { Person } from '../host/subject.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { isText } from '../validation/shape.ts'

/** Whose authorizations: of an account or one of its users, to all applications or one. */
export interface AuthorizationHolder extends Person {
  readonly clientId?: string | undefined
}

/**
 * When something was authorized, counted by what was revoked since: each time that everything of an account, or of one
 * of its users, is revoked, for all applications or one, another epoch begins. What was authorized in an older one is
 * void, also where it is not listed yet. Most accounts never revoke everything, and have none.
 */
export interface ConsentVersions {
  readonly account?: string | undefined
  readonly client?: string | undefined
  readonly user?: string | undefined
  readonly userClient?: string | undefined
}

/** The epochs that are in force. */
export interface ConsentVersionStore {
  /** Those of what a person authorizes an application to do. */
  current(person: Person, clientId: string): Promise<ConsentVersions>
  /** Makes everything void that the holder authorized so far. */
  renew(holder: AuthorizationHolder): Promise<void>
}

/**
 * @param ttl seconds for which an epoch is kept: at least as long as anything may live that is older, for afterwards
 *   nobody asks
 */
export function createConsentVersions(store: Store, ttl: number): ConsentVersionStore {
  const epochs = createCollection<{ epoch: string }>(store, {
    name: 'authorization-epoch',
    version: 1,
    fields: { epoch: isText },
  })

  return {
    async current({ accountId, userId }, clientId) {
      const holders: { [Part in keyof ConsentVersions]: AuthorizationHolder } = {
        account: { accountId },
        client: { accountId, clientId },
        ...(userId !== undefined && {
          user: { accountId, userId },
          userClient: { accountId, userId, clientId },
        }),
      }
      const found = await epochs.getMany(Object.values(holders).map(idOf))
      const parts = Object.keys(holders).map((part, at) => [part, found[at]?.epoch])
      return Object.fromEntries(parts.filter(([, epoch]) => epoch !== undefined)) as ConsentVersions
    },
    async renew(holder) {
      // Names, not numbers: one that expires and comes again can never be taken for an older one.
      await epochs.set(idOf(holder), { epoch: randomUUID() }, ttl)
    },
  }
}

/** Whether what was authorized in `then` still counts `now`. An epoch that has expired has outlived all before it. */
export function isOfVersions(then: ConsentVersions | undefined, now: ConsentVersions): boolean {
  const parts = ['account', 'client', 'user', 'userClient'] as const
  return parts.every((part) => now[part] === undefined || now[part] === then?.[part])
}

/** Account ids are the host's: of any length and alphabet. */
function idOf({ accountId, userId, clientId }: AuthorizationHolder): string {
  const ofAccount = clientId === undefined ? [accountId] : [accountId, clientId]
  return digest(JSON.stringify(userId === undefined ? ofAccount : [accountId, clientId ?? null, userId]))
}

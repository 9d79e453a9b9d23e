import { randomUUID } from 'node:crypto'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { isText } from '../../store/shape.ts'

/**
 * When something was authorized, counted by what was withdrawn since: each time that everything of an account, or of
 * an account and one application, is withdrawn, another epoch begins. What was authorized in an older one is void,
 * also where it is not listed yet. Most accounts never withdraw everything, and have none.
 */
export interface AuthorizationEpochs {
  readonly account?: string | undefined
  readonly client?: string | undefined
}

/** The epochs that are in force. */
export interface EpochRecords {
  current(accountId: string, clientId: string): Promise<AuthorizationEpochs>
  /** Makes everything void that an account authorized so far; with a client, what it authorized that one to do. */
  renew(accountId: string, clientId?: string): Promise<void>
}

/**
 * @param ttl seconds for which an epoch is kept: at least as long as anything may live that is older, for afterwards
 *   nobody asks
 */
export function createEpochRecords(store: Store, ttl: number): EpochRecords {
  const epochs = createCollection<{ epoch: string }>(store, {
    name: 'authorization-epoch',
    version: 1,
    fields: { epoch: isText },
  })
  // Account ids are the host's: of any length and alphabet.
  const idOf = (...whose: string[]) => digest(JSON.stringify(whose))

  return {
    async current(accountId, clientId) {
      const found = await epochs.getMany([idOf(accountId), idOf(accountId, clientId)])
      const [account, client] = found.map((record) => record?.epoch)
      return { ...(account !== undefined && { account }), ...(client !== undefined && { client }) }
    },
    async renew(accountId, clientId) {
      const id = clientId === undefined ? idOf(accountId) : idOf(accountId, clientId)
      // Names, not numbers: one that expires and comes again can never be taken for an older one.
      await epochs.set(id, { epoch: randomUUID() }, ttl)
    },
  }
}

/** Whether what was authorized in `then` still counts `now`. An epoch that has expired has outlived all before it. */
export function isOfEpoch(then: AuthorizationEpochs | undefined, now: AuthorizationEpochs): boolean {
  const counts = (part: 'account' | 'client') => now[part] === undefined || now[part] === then?.[part]
  return counts('account') && counts('client')
}

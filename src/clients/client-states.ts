import { findOnce, type KnownAccounts } from '../host/find-once.ts'
import { missingUsers } from '../host/missing-users.ts'
import type { Client } from './client.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { whyNoToken, type NoTokenReason } from './why-no-token.ts'

const CONCURRENCY = 25

export interface ClientState {
  readonly noToken: NoTokenReason | undefined
  /** Users who know a valid secret, although the host no longer finds them in the account. */
  readonly knownToFormer: readonly string[]
}

/** Finds the states of clients. It asks the host once for each owner and each user. */
export function createStates({ accounts, catalog }: Pick<ClientsDependencies, 'accounts' | 'catalog'>) {
  return async function statesOf(clients: readonly Client[]): Promise<ClientState[]> {
    const asked: KnownAccounts = new Map()
    const find = (accountId: string, userId?: string) => findOnce(accounts, asked, { accountId, userId })
    const stateOf = async (client: Client): Promise<ClientState> => {
      const { accountId, userId, secretShownTo = [] } = client
      const [owner, knownToFormer] = await Promise.all([
        find(accountId, userId),
        missingUsers(secretShownTo, (each) => find(accountId, each)),
      ])
      return { noToken: whyNoToken(catalog.current, client, owner), knownToFormer }
    }
    const states: ClientState[] = []
    while (states.length < clients.length) {
      const next = clients.slice(states.length, states.length + CONCURRENCY)
      states.push(...(await Promise.all(next.map(stateOf))))
    }
    return states
  }
}

export type StatesOf = ReturnType<typeof createStates>

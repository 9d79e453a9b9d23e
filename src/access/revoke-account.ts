import { inBatches } from '../async/in-batches.ts'
import type { GatehouseError } from '../errors.ts'
import type { Client } from '../clients/client.ts'
import { changeOptionsOf, type RemovalOptions } from '../host/change-options.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { collectIn, CorruptRecord, partialFailure } from '../store/corrupt-record.ts'
import type { Grants } from '../grants/grant-service.ts'

/** What was revoked. */
export interface RevokedAccess {
  /** The number of API keys and applications that had some or all of their tokens revoked. */
  readonly clients: number
  /**
   * The number of grants of the account that were revoked. For `accounts.changed`, the number includes grants that
   * stay in use but had tokens revoked.
   */
  readonly grants: number
}

/** Which tokens of a client are revoked: none, all, or those that carry one of the listed scopes. */
export type Plan = 'nothing' | 'all' | readonly string[]

const CONCURRENCY = 50

/** Revokes tokens of the clients and grants of an account or user; its callers decide which (`plan`). */
export function createRevokeAccount(
  clientTokens: Pick<ClientTokens, 'listByAccount' | 'revokeFirst' | 'revokeAll' | 'revokeScopes'>,
  grants: Pick<Grants, 'revokeAll'>,
) {
  /**
   * The tokens of all clients with a readable record are rejected before the first record is changed: thousands take
   * seconds. If `plan` rejects with `ERR_STORE_CORRUPT`, the other clients are still changed.
   */
  async function revokeClients(
    accountId: string,
    plan: (client: Client | CorruptRecord) => Plan | Promise<Plan>,
    options: RemovalOptions,
  ): Promise<{ readonly clients: number; readonly errors: readonly GatehouseError[] }> {
    const errors: GatehouseError[] = []
    const collect = collectIn(errors)
    async function planOne(client: Client | CorruptRecord) {
      const what = await plan(client)
      return what === 'nothing' ? undefined : { client, scopes: what === 'all' ? undefined : what }
    }
    const changes: NonNullable<Awaited<ReturnType<typeof planOne>>>[] = []
    const rejecting: Promise<void>[] = []
    try {
      for await (const page of clientTokens.listByAccount(accountId)) {
        const planned = await Promise.all(page.map((client) => planOne(client).catch(collect)))
        const meant = planned.filter((each) => each !== undefined)
        changes.push(...meant)
        // `clientTokens.revokeAll` revokes the tokens of corrupt clients later.
        const readable = meant.flatMap(({ client, scopes }) =>
          client instanceof CorruptRecord ? [] : [{ client, scopes }],
        )
        const rejected = clientTokens.revokeFirst(readable)
        // This revocation may fail while the next page is read. Its error is thrown after the last page.
        rejected.catch(() => {})
        rejecting.push(rejected)
      }
    } catch (error) {
      collect(error)
    } finally {
      await Promise.allSettled(rejecting)
    }
    await Promise.all(rejecting)

    let clients = 0
    async function change({ client, scopes }: (typeof changes)[number]): Promise<void> {
      const clientId = client instanceof CorruptRecord ? client.id : client.clientId
      if (scopes) await clientTokens.revokeScopes(clientId, scopes, options)
      else await clientTokens.revokeAll(clientId, options)
      clients += 1
    }
    await inBatches(changes, CONCURRENCY, (each) => change(each).catch(collect))
    return { clients, errors }
  }

  return {
    revokeClients,
    /** A corrupt client may belong to the user, so its tokens are revoked too. `ERR_STORE_CORRUPT` is thrown last. */
    async revokeAll(accountId: string, options: RemovalOptions, userId?: string): Promise<RevokedAccess> {
      const isMeant = (client: Client | CorruptRecord) =>
        userId === undefined || client instanceof CorruptRecord || client.userId === userId
      const plan = (client: Client | CorruptRecord) => (isMeant(client) ? 'all' : 'nothing')
      const { clients, errors: ofClients } = await revokeClients(accountId, plan, options)
      const errors = [...ofClients]
      const holder = { accountId, ...(userId !== undefined && { userId }) }
      const revoked = await grants.revokeAll(holder, changeOptionsOf(options)).catch(collectIn(errors))
      if (revoked !== undefined && errors.length === 0) return { clients, grants: revoked }
      throw partialFailure(errors, 'Everything else that is known of the account was revoked')
    },
  }
}

export type RevokeAccount = ReturnType<typeof createRevokeAccount>

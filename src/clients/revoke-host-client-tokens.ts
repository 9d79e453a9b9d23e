import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import { partialFailure, isCorruptRecord } from '../store/corrupt-record.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import type { CheckedHostRegistry, HostRegistry } from './host-registry.ts'
import type { Client } from './client.ts'
import { clientNotFound } from './client-not-found.ts'
import type { ChangeOptions } from './client-service-types.ts'
import { checkChange } from './client-repository.ts'
import { DONE, PAGE, type ClientTokens } from './revoke-client-tokens.ts'
import type { HostEpoch, HostEpochs } from './host-epochs.ts'
import { checkInput } from '../validation/check-input.ts'
import { hostClientIdRule } from '../validation/rules.ts'
import { revocationsOf } from './access-epoch.ts'
import type { PartialRevocation } from './client-record.ts'

/** The tokens of clients that the host keeps. */
export interface HostClientTokens extends ClientTokens {
  /**
   * Revokes all tokens that a client has got until now, because its secret leaked. The host must revoke the secret.
   *
   * @param kind that the client must have, if the host finds it
   * @throws {GatehouseError} as `revokeAll`, and `ERR_NOT_FOUND` if the client is of the other kind
   */
  reportCompromised(kind: Client['kind'], clientId: string, options: ChangeOptions | undefined): Promise<void>
}

/**
 * Revokes tokens of clients that the host keeps: their rows are not ours to change, so we count besides.
 *
 * A client that the host does not find is taken for deleted: its tokens are dead for good, and so are those that
 * it would get if it came back soon. The same where what we count besides cannot be read: it gets none then.
 *
 * @param parts.registry with the epochs that stand in tokens
 * @param parts.list of the host's registry
 */
export function createHostClientTokens({
  registry,
  list,
  offsets,
  events,
  revocations,
}: {
  readonly registry: Pick<HostRegistry, 'find'>
  readonly list: CheckedHostRegistry['list']
  readonly offsets: HostEpochs
  readonly events: EventSink
  readonly revocations: Pick<Revocations, 'revokeWith'>
}): HostClientTokens {
  async function take(
    clientId: string,
    { actor }: ChangeOptions,
    {
      inPart,
      target,
      isCompromised,
    }: { inPart?: (before: HostEpoch) => PartialRevocation; target?: string; isCompromised?: boolean } = {},
  ): Promise<void> {
    checkInput('no tokens can be revoked', { clientId }, { clientId: hostClientIdRule })
    const unreadable = await revocations.revokeWith({ of: 'client', id: clientId }, async () => {
      try {
        await offsets.raise(clientId, inPart)
        const found = await find(clientId)
        if (found) {
          const { kind, accountId } = found.client
          const change = 'tokens.revoked'
          if (isCompromised) events.emit('client.compromised', { kind, clientId, accountId, actor })
          else events.emit('client.changed', { kind, clientId, accountId, actor, change, target })
        }
        return { result: undefined, revoked: revocationsOf(clientId, found), actor }
      } catch (error) {
        if (!isCorruptRecord(error)) throw error
        return { result: error, revoked: revocationsOf(clientId, undefined), actor }
      }
    })
    if (unreadable) throw partialFailure([unreadable], DONE)
  }

  async function find(clientId: string) {
    const { partialRevocations } = await offsets.get(clientId)
    const client = await registry.find(clientId)
    return client && { client, partialRevocations }
  }

  return {
    revokeAll: (clientId, options) => take(clientId, options),

    async revokeCarrying(clientId, scopes, options) {
      const epoch = (await registry.find(clientId))?.epoch ?? 0
      const inPart = ({ partialRevocations }: HostEpoch) => ({
        since: partialRevocations?.since ?? epoch,
        scopes,
      })
      await take(clientId, options, { inPart, target: scopes.join(' ') })
    },

    async reportCompromised(kind, clientId, options = {}) {
      checkInput('it cannot be reported', { clientId }, { clientId: hostClientIdRule })
      checkChange('compromised', options)
      // A record that cannot be read keeps no tokens alive.
      const found = await registry.find(clientId).catch((error: unknown) => {
        if (!isCorruptRecord(error)) throw error
        return undefined
      })
      if (found && found.kind !== kind) {
        throw clientNotFound(kind === 'apiKey' ? 'API key' : 'application', clientId)
      }
      await take(clientId, options, { isCompromised: true })
    },

    revocationsOf: async (clientId) => revocationsOf(clientId, await find(clientId)),

    async *ofAccount(accountId) {
      if (!list) {
        throw new GatehouseError(
          'ERR_HOST_CALLBACK',
          'registry.list is missing, so nobody knows which API keys and applications an account has: implement list({ accountId }), or call tokens.revokeAll({ clientId }) for each of them',
        )
      }
      let page: Client[] = []
      for await (const client of list({ accountId })) {
        page.push(client)
        if (page.length < PAGE) continue
        yield page
        page = []
      }
      if (page.length > 0) yield page
    },
  }
}

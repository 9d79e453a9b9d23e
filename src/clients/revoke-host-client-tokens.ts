import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import { partialFailure, isCorruptRecord } from '../store/corrupt-record.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { HostRegistry } from './host-registry.ts'
import type { Client } from './client.ts'
import { clientNotFound } from './client-not-found.ts'
import type { ChangeOptions } from './client-service-types.ts'
import { checkChange } from './client-repository.ts'
import { PAGE_SIZE, TOKENS_REVOKED, type ClientTokens } from './revoke-client-tokens.ts'
import type { HostEpochs } from './host-epochs.ts'
import { checkInput } from '../validation/check-input.ts'
import { hostClientIdRule } from '../validation/rules.ts'
import { revocationsOf } from './access-epoch.ts'

/** Revokes the tokens of clients that the host manages. */
export interface HostClientTokens extends ClientTokens {
  /**
   * Revokes all tokens that a client has obtained so far, because its secret leaked. The host must revoke the secret.
   *
   * @param kind the expected kind of the client, if the host finds it
   * @throws {GatehouseError} as `revokeAll`, and `ERR_NOT_FOUND` if the client is of the other kind
   */
  reportCompromised(kind: Client['kind'], clientId: string, options: ChangeOptions | undefined): Promise<void>
}

interface HostClientTokensParts {
  /** With the epochs that tokens carry. */
  readonly registry: Pick<ClientRegistry, 'find'>
  readonly list: HostRegistry['list']
  readonly epochs: HostEpochs
  readonly events: EventSink
  readonly revocations: Pick<Revocations, 'revokeWith'>
}

/** One revocation, as its event names it. */
interface HostRevocation {
  readonly event: 'tokens.revoked' | 'compromised'
  readonly options: ChangeOptions
  /** Revokes only tokens with these scopes. @default all tokens */
  readonly scopes?: readonly string[] | undefined
}

/**
 * Revokes tokens of clients that the host manages. gatehouse cannot change their rows, so it counts an epoch offset for
 * each client.
 *
 * A client that the host does not find counts as deleted: all its tokens are rejected permanently, also those that it
 * would get if it came back soon. The same holds if its epoch offset is corrupt; then it gets no tokens.
 */
export function createHostClientTokens(parts: HostClientTokensParts): HostClientTokens {
  const { registry, list } = parts
  return {
    revokeAll: (clientId, options) => revoke(parts, clientId, { event: 'tokens.revoked', options }),

    revokeScopes: (clientId, scopes, options) =>
      revoke(parts, clientId, { event: 'tokens.revoked', options, scopes }),

    async reportCompromised(kind, clientId, options = {}) {
      checkInput('it cannot be reported', { clientId }, { clientId: hostClientIdRule })
      checkChange('compromised', options)
      // A corrupt record must not keep tokens valid.
      const found = await registry.find(clientId).catch((error: unknown) => {
        if (!isCorruptRecord(error)) throw error
        return undefined
      })
      if (found && found.kind !== kind) {
        throw clientNotFound(kind === 'apiKey' ? 'API key' : 'application', clientId)
      }
      await revoke(parts, clientId, { event: 'compromised', options })
    },

    revocationsOf: async (clientId) => revocationsOf(clientId, await findWithEpoch(parts, clientId)),

    async *listByAccount(accountId) {
      if (!list) {
        throw new GatehouseError(
          'ERR_HOST_CALLBACK',
          'registry.list is missing, so the API keys and applications of an account are not known: implement list({ accountId }), or call tokens.revokeAll({ clientId }) for each of them',
        )
      }
      let page: Client[] = []
      for await (const client of list({ accountId })) {
        page.push(client)
        if (page.length < PAGE_SIZE) continue
        yield page
        page = []
      }
      if (page.length > 0) yield page
    },
  }
}

async function revoke(
  parts: HostClientTokensParts,
  clientId: string,
  { event, options: { actor }, scopes }: HostRevocation,
): Promise<void> {
  const { registry, epochs, events, revocations } = parts
  checkInput('no tokens can be revoked', { clientId }, { clientId: hostClientIdRule })
  const epoch = scopes && ((await registry.find(clientId))?.epoch ?? 0)
  const corrupt = await revocations.revokeWith({ of: 'client', id: clientId }, async () => {
    try {
      await epochs.raise(
        clientId,
        scopes && (({ partialRevocations }) => ({ since: partialRevocations?.since ?? epoch ?? 0, scopes })),
      )
      const found = await findWithEpoch(parts, clientId)
      if (found) {
        const { kind, accountId } = found.client
        const details = { kind, clientId, accountId, actor }
        if (event === 'compromised') events.emit('client.compromised', details)
        else events.emit('client.changed', { ...details, change: event, target: scopes?.join(' ') })
      }
      return { result: undefined, revoked: revocationsOf(clientId, found), actor }
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      return { result: error, revoked: revocationsOf(clientId, undefined), actor }
    }
  })
  if (corrupt) throw partialFailure([corrupt], TOKENS_REVOKED)
}

async function findWithEpoch({ epochs, registry }: HostClientTokensParts, clientId: string) {
  const { partialRevocations } = await epochs.get(clientId)
  const client = await registry.find(clientId)
  return client && { client, partialRevocations }
}

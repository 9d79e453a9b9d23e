import { GatehouseError } from '../errors.ts'
import type { AuditWriter } from '../audit/audit.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { EventSink } from '../host/events.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { HostRegistry } from './host-registry.ts'
import type { Client } from './client.ts'
import { clientNotFound } from './client-not-found.ts'
import {
  type ChangeOptions,
  changeOptionsOf,
  checkChange,
  type RemovalOptions,
} from '../host/change-options.ts'
import { changeEntry, emitChange, type Change } from './client-repository.ts'
import { PAGE_SIZE, revokeDespiteCorruption, type ClientTokens } from './revoke-client-tokens.ts'
import type { HostEpochs } from './host-epochs.ts'
import { checkInput } from '../validation/check-input.ts'
import { hostClientIdRule } from '../validation/rules.ts'
import { addScopes, revocationsOf } from './access-epoch.ts'

/** Revokes the tokens of clients that the host manages. */
export interface HostClientTokens extends ClientTokens {
  /**
   * Revokes all tokens that a client has obtained so far. Call this method if the secret of the client
   * leaked. The host itself must revoke the secret.
   *
   * @param kind the kind that the client must have if the host finds it
   * @throws {GatehouseError} as `revokeAll`, and `ERR_NOT_FOUND` if the host finds the client, but its kind
   *   is not `kind`
   */
  reportCompromised(kind: Client['kind'], clientId: string, options: ChangeOptions | undefined): Promise<void>
}

interface HostClientTokensParts {
  /** The registry of the host. Its clients have the epochs that tokens carry. */
  readonly registry: Pick<ClientRegistry, 'find'>
  readonly list: HostRegistry['list']
  readonly epochs: HostEpochs
  readonly events: EventSink
  readonly revocations: Pick<Revocations, 'revokeWith'>
  readonly audit: Pick<AuditWriter, 'record'>
}

/**
 * Revokes tokens of clients that the host manages. gatehouse cannot change the rows of these clients. Instead
 * it stores an epoch offset for each client, and raises this offset.
 *
 * A client that the host does not find counts as deleted, so all its tokens are rejected. If the host adds
 * the client again, its new tokens are rejected too until the revocation expires. If the epoch offset of a
 * client is corrupt, the client gets no new tokens. A revocation of some of its tokens then revokes all of
 * them.
 */
export function createHostClientTokens(parts: HostClientTokensParts): HostClientTokens {
  const { registry, list } = parts
  return {
    revokeAll: (clientId, options) => revoke(parts, { clientId, name: 'tokens.revoked', options }),

    revokeScopes: (clientId, scopes, options) =>
      revoke(parts, { clientId, name: 'tokens.revoked', options }, scopes),

    async reportCompromised(kind, clientId, options) {
      checkInput('the client cannot be reported as compromised', { clientId }, { clientId: hostClientIdRule })
      checkChange('compromised', options)
      // `find` fails if the epoch offset is corrupt. This error is ignored, because the tokens must be
      // revoked nevertheless.
      const found = await registry.find(clientId).catch((error: unknown) => {
        if (!isCorruptRecord(error)) throw error
        return undefined
      })
      if (found && found.kind !== kind) {
        throw clientNotFound(kind === 'apiKey' ? 'API key' : 'application', clientId)
      }
      await revoke(parts, { clientId, name: 'compromised', options })
    },

    revokeFirst: async () => {},

    revocationsOf: async (clientId) => revocationsOf(clientId, await findWithEpoch(parts, clientId)),

    async *listByAccount(accountId) {
      if (!list) {
        throw new GatehouseError(
          'ERR_HOST_CALLBACK',
          'registry.list is missing, so the API keys and applications of an account are not known: implement list({ accountId }), or call tokens.revokeAll({ clientId }) for each client',
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
  {
    clientId,
    name,
    options,
  }: Omit<Change, 'target' | 'options'> & { readonly options: RemovalOptions | undefined },
  scopes?: readonly string[],
): Promise<void> {
  const { registry, epochs, events, revocations, audit } = parts
  checkInput('the tokens cannot be revoked', { clientId }, { clientId: hostClientIdRule })
  const actor = options?.actor
  const epoch = scopes && ((await registry.find(clientId))?.epoch ?? 0)
  const change = async () => {
    await epochs.raise(
      clientId,
      scopes && (({ partialRevocations }) => addScopes(partialRevocations, epoch ?? 0, scopes)),
    )
    const found = await findWithEpoch(parts, clientId)
    const made = { name, target: scopes?.join(' '), options }
    if (found) entry = changeEntry(found.client, made)
    if (found) emitChange(events, found.client, made)
    return revocationsOf(clientId, found)
  }
  const ofCorrupt = () => revocationsOf(clientId, undefined)
  // The entry of a client that the host does not find, or whose epoch offset is corrupt.
  let entry: EntryFields = {
    name: 'client.changed',
    clientId,
    change: name,
    ...changeOptionsOf(options ?? {}),
  }
  const revoked = revokeDespiteCorruption(revocations, { clientId, actor, change, ofCorrupt })
  const error = await revoked.catch((cause: unknown) => {
    if (!isCorruptRecord(cause)) throw cause
    return cause
  })
  await audit.record(entry)
  if (error) throw error
}

async function findWithEpoch({ epochs, registry }: HostClientTokensParts, clientId: string) {
  const { partialRevocations } = await epochs.get(clientId)
  const client = await registry.find(clientId)
  return client && { client, partialRevocations }
}

import type { ChangeOptions } from '../../host/change-options.ts'
import { checkInput, optional, textRule, wholeNumber } from '../../validation/rules.ts'
import { hostOf, originOf } from '../../validation/document-id.ts'
import { lastUseSince, type LastUses } from '../last-used.ts'
import { createBlockedHosts, hostRecords, type HostRecord } from './blocked-hosts.ts'
import { createClearing } from './delete-grants-of-blocked-hosts.ts'
import { storedIdOf } from './document-id.ts'
import { type DocumentPolicy, findPolicy } from './document-policy.ts'
import { createStoredDocuments } from './stored-documents.ts'

/** A client metadata document that at least one person has approved. All times are in epoch seconds. */
export interface ClientDocument {
  /** The address of the document. */
  readonly clientId: string
  /** The host of the document, such as `claude.ai`. */
  readonly host: string
  /** What the client calls itself. */
  readonly name: string
  /** Whether the option `clientDocuments` says that the name is verified. */
  readonly isNameVerified: boolean
  /** How the client authenticates. */
  readonly method: 'none' | 'private_key_jwt'
  readonly redirectUris: readonly string[]
  /** When a person first approved the client. */
  readonly approvedAt: number
  /** When the document was last fetched. */
  readonly fetchedAt: number
  /** Why the document could not be used when it was last fetched; undefined if it could. */
  readonly problem?: string | undefined
  /** When the client last got a token, rounded down to the hour; undefined if it never did. */
  readonly lastUsedAt?: number | undefined
  /** How many people have approved the client in the last 400 days; 1000 means 1000 or more. */
  readonly users: number
  /**
   * Why the client gets no token now: an operator has blocked its host, or no entry of the option `clientDocuments`
   * covers it any more. Undefined if it may get tokens.
   */
  readonly rejected?: 'blocked' | 'no-policy' | undefined
}

/** A host whose documents are rejected. */
export interface BlockedHost {
  /** Such as `claude.ai`. */
  readonly host: string
  /** Epoch seconds. */
  readonly blockedAt: number
  /** Who blocked it, if the caller said it. */
  readonly blockedBy?: string | undefined
  /** Whether its grants are still being deleted. Its tokens are rejected already. */
  readonly isClearing: boolean
}

/** The applications that identify themselves by a client metadata document. */
export interface ClientDocuments {
  /**
   * The documents that people have approved, by their addresses in alphabetical order.
   *
   * @param options.cursor the `cursor` of the previous page
   * @param options.limit at most so many, 1 to 100. @default 50
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`. All methods also throw the errors of `ready()`
   */
  list(options?: {
    readonly cursor?: string | undefined
    readonly limit?: number | undefined
  }): Promise<{ readonly items: readonly ClientDocument[]; readonly cursor?: string | undefined }>
  /** The blocked hosts in alphabetical order. A host with a corrupt record is left out. */
  listBlocked(): Promise<readonly BlockedHost[]>
  /**
   * Blocks a host: every document of it is rejected, and all tokens of its clients are rejected by every gateway within
   * milliseconds. The grants that people have given its clients are deleted in the background. May be called again.
   *
   * @param host the host of the documents, such as `claude.ai`, or `example.com:8443`. Subdomains are hosts of their
   * own
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`; `ERR_STORE_UNAVAILABLE`: call the method again
   */
  block(host: string, options?: ChangeOptions): Promise<void>
  /**
   * Accepts the documents of a host again. What was revoked stays revoked, so people are asked again.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND` if the host is not blocked; `ERR_IN_PROGRESS` while its grants are being
   *   deleted; `ERR_STORE_UNAVAILABLE`: call the method again
   */
  unblock(host: string, options?: ChangeOptions): Promise<void>
}

type Parts = Parameters<typeof createBlockedHosts>[0] &
  Pick<Parameters<typeof createClearing>[0], 'revokeGrants' | 'logger'> & {
    readonly lastUses: Pick<LastUses, 'get'>
    readonly policies: readonly DocumentPolicy[]
  }

const MAX_PAGE = 100

/** Creates the service, which lists documents and blocks hosts, and what deletes the grants of blocked hosts. */
export function createDocumentService(parts: Omit<Parts, 'clear'>) {
  const { store, lastUses, policies } = parts
  const documents = createStoredDocuments(store)
  const hosts = hostRecords(store)
  const clearing = createClearing({ ...parts, documents, hosts })
  const blocked = createBlockedHosts({ ...parts, clear: clearing.begin })

  const service: ClientDocuments = {
    async list(options = {}) {
      const { cursor, limit = 50 } = options
      const rules = { cursor: optional(textRule), limit: optional(wholeNumber(1, MAX_PAGE)) }
      checkInput('the documents cannot be listed', { ...options }, rules)
      const clientIds = await documents.list(cursor, limit)
      const uses = await lastUses.get(clientIds.map(storedIdOf))
      const items = await Promise.all(clientIds.map((clientId, at) => describe(clientId, uses[at])))
      const next = clientIds.length === limit ? clientIds.at(-1) : undefined
      return {
        items: items.filter((item) => item !== undefined),
        ...(next !== undefined && { cursor: next }),
      }
    },

    async listBlocked() {
      const records: HostRecord[] = []
      // A corrupt record does not hide the others. `health()` names it.
      for await (const { items } of hosts.pages()) records.push(...items.map(({ record }) => record))
      return records
        .filter(({ isBlocked }) => isBlocked)
        .map(({ origin, blockedAt, blockedBy, isClearing }) => ({
          host: hostOf(origin),
          blockedAt,
          ...(blockedBy !== undefined && { blockedBy }),
          isClearing,
        }))
    },

    block: blocked.block,
    unblock: blocked.unblock,
  }
  return { service, finishHost: clearing.finish }

  async function describe(
    clientId: string,
    lastUsedAt: number | undefined,
  ): Promise<ClientDocument | undefined> {
    const [stored, host, users] = await Promise.all([
      documents.get(clientId),
      hosts.get(originOf(clientId)),
      documents.users(clientId),
    ])
    // Documents that were not used for more than a year are gone.
    if (!stored) {
      await documents.unlist(clientId)
      return undefined
    }
    const policy = findPolicy(policies, clientId)
    const { metadata, createdAt, approvedAt = createdAt, fetchedAt, problem } = stored
    const { name, method, redirectUris } = metadata
    return {
      clientId,
      host: hostOf(clientId),
      name,
      method,
      redirectUris,
      approvedAt,
      fetchedAt,
      problem,
      isNameVerified: policy?.name === 'verified',
      lastUsedAt: lastUseSince(approvedAt, lastUsedAt),
      users: users.length,
      rejected: host?.isBlocked ? 'blocked' : policy ? undefined : 'no-policy',
    }
  }
}

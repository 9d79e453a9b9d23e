import { callHost, checkResult, invalidResult, readResult } from '../validation/host-callback.ts'
import { kindOf } from '../validation/predicates.ts'
import { booleanRule, type Fields, listOf } from '../validation/rules.ts'
import { applicationFields } from './application-fields.ts'
import { clientFields } from './client-schema.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { Client, HostClient, Registry } from './client.ts'
import { findRedirectUriProblem } from './redirect-uri.ts'

/** The registry of the host, with validated results. */
export interface HostRegistry extends ClientRegistry {
  /**
   * The clients of exactly this account, one after the other; undefined if the host's registry has no `list`.
   */
  readonly list?: ((filter: { readonly accountId: string }) => AsyncIterable<Client>) | undefined
}

/**
 * Validates everything that the host's registry returns, and adds defaults for missing fields of a row.
 *
 * Each method rejects with a GatehouseError `ERR_HOST_CALLBACK` for an invalid result. The error names the
 * callback and all problems. Errors that the host's registry throws are passed on unchanged.
 */
export function createHostRegistry(registry: Registry): HostRegistry {
  // The host's row of each client, which `verifySecret` passes to the host. A row may contain the hash of the
  // secret. The row is kept apart from the client, so that the hash does not get into a log or an event.
  const rows = new WeakMap<Client, HostClient>()

  return {
    async find(clientId) {
      const answer = await callHost(FIND, () => registry.find(clientId))
      const checked = readClient(FIND, answer)
      // A case-insensitive lookup may find a client with another id. Such a client is ignored.
      if (checked?.clientId !== clientId) return undefined
      rows.set(checked, answer as HostClient)
      return checked
    },

    async verifySecret(client, secret) {
      const row = rows.get(client)
      if (!row) return false
      const answer: unknown = await callHost(VERIFY_SECRET, () => registry.verifySecret(row, secret))
      // Other truthy values, such as an object, are not accepted.
      if (typeof answer === 'boolean') return answer
      throw invalidResult(VERIFY_SECRET, `${kindOf(answer)}; it must be true or false`)
    },

    ...(registry.list && {
      async *list(filter: { readonly accountId: string }) {
        const rows = rowsOf(await callHost(LIST, () => registry.list?.(filter)))
        try {
          for (;;) {
            const { done, value } = await callHost(LIST, () => rows.next())
            if (done) return
            const client = readClient(LIST, value)
            if (client?.accountId === filter.accountId) yield client
          }
        } finally {
          // Closes a database cursor if the caller stops early.
          await rows.return?.()
        }
      },
    }),
  }
}

/** The client of a row, with defaults; undefined if there is no row. */
function readClient(callback: string, answer: unknown): Client | undefined {
  const fields = readResult(callback, answer)
  if (!fields) return undefined
  const { kind } = fields
  if (kind !== 'apiKey' && kind !== 'application') {
    throw invalidResult(
      callback,
      `a client whose kind is ${kindOf(kind)}; it must be "apiKey" or "application"`,
    )
  }
  const client = withDefaults(kind, fields)
  checkResult(callback, client, FIELDS[kind])
  // The rules have validated each field.
  return client as unknown as Client
}

function rowsOf(answer: unknown): Iterator<unknown> | AsyncIterator<unknown> {
  const rows = Object(answer) as Partial<Iterable<unknown> & AsyncIterable<unknown>>
  const iterator = rows[Symbol.asyncIterator]?.() ?? rows[Symbol.iterator]?.()
  if (iterator && typeof answer === 'object') return iterator
  throw invalidResult(LIST, `${kindOf(answer)}; it must be a list, or an async iterable`)
}

const FIND = 'registry.find'
const VERIFY_SECRET = 'registry.verifySecret'
const LIST = 'registry.list'

/** The default values of fields that are missing or null in a row. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  removedOperations: [],
  disabled: false,
  epoch: 0,
  createdAt: 0,
  resourceServer: false,
  postLogoutRedirectUris: [],
  firstParty: false,
}

/** Fields without a default. An empty value in a row means that the field is not set. */
const OPTIONAL: readonly string[] = ['userId', 'homepageUri', 'logoUri', 'privacyUri', 'termsUri']

/** The fields of a client of this kind, from a row of the host. Unknown columns are left out. */
function withDefaults(
  kind: Client['kind'],
  row: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.keys(FIELDS[kind]).map((name) => {
    if (OPTIONAL.includes(name)) return [name, row[name] || undefined]
    return [name, name in DEFAULTS ? (row[name] ?? DEFAULTS[name]) : row[name]]
  })
  return { kind, ...Object.fromEntries(entries) }
}

const FIELDS: Readonly<Record<Client['kind'], Fields>> = {
  apiKey: { ...clientFields.apiKey, resourceServer: booleanRule },
  application: {
    ...clientFields.application,
    ...applicationFields,
    // These lists may have any length, because the host limits its own lists.
    redirectUris: listOf(findRedirectUriProblem),
    postLogoutRedirectUris: listOf(findRedirectUriProblem),
  },
}

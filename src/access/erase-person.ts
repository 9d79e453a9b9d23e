import { inBatches } from '../async/in-batches.ts'
import type { Audit } from '../audit/audit.ts'
import { eraseEntry, type ErasedPeople } from '../audit/erase-entry.ts'
import type { Commits } from '../commit/commit.ts'
import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import { withoutErased, type ClientErasure } from '../clients/erase-from-clients.ts'
import type { LastUses } from '../clients/last-used.ts'
import type { ClientRecord } from '../clients/client-record.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { hasCode, type GatehouseError } from '../errors.ts'
import type { Grants, GrantsOfUsers } from '../grants/grant-service.ts'
import { belongsTo, type Person } from '../host/subject.ts'
import { type ChangeOptions, changeOptionsOf, checkChange } from '../host/change-options.ts'
import type { EventSink } from '../host/events.ts'
import type { Store } from '../store/contract.ts'
import { collectIn, CorruptRecord, partialFailure } from '../store/corrupt-record.ts'
import { checkInput, textRule } from '../validation/rules.ts'
import type { Erasures } from './erasures.ts'
import type { SessionList } from './session-list.ts'

/** A person to erase: an account with all its users, or one user of an account. */
export interface PersonToErase {
  readonly accountId: string
  /** Erases only this user. @default the account with all its users. An explicit `undefined` is rejected */
  readonly userId?: string
}

/** What a call erased. A repeated call does not count what earlier calls erased. */
export interface ErasedRecords {
  /** The number of API keys and applications that were deleted. */
  readonly clients: number
  /** The number of grants in use that were revoked. */
  readonly grants: number
  /** The number of entries of the audit trail that were rewritten. */
  readonly entries: number
}

const CONCURRENCY = 20

const DONE =
  'Everything else of the person was erased. Repair the corrupt records, then erase the person again'

interface Parts {
  readonly store: Store
  readonly erasures: Erasures
  readonly clientErasure: ClientErasure
  readonly sessionList: SessionList
  readonly apiKeys: Pick<ApiKeys, 'delete'>
  readonly applications: Pick<Applications, 'delete'>
  readonly clientTokens: Pick<ClientTokens, 'revokeAll'>
  readonly lastUses: Pick<LastUses, 'forgetAddress' | 'accountKeepers'>
  readonly grants: Pick<Grants, 'revokeAll' | 'list'>
  readonly grantsOfUsers: Pick<GrantsOfUsers, 'revokeSome'>
  readonly commits: Pick<Commits, 'erase'>
  readonly audit: Pick<Audit, 'all' | 'erase' | 'entry' | 'append'>
  readonly events: EventSink
}

/** Erases people: clients, grants, sessions, trail. `test/support/personal-data.ts` lists all of their data. */
export function createErasePerson(parts: Parts) {
  const { store, erasures, audit, events } = parts
  // The option `clientDocuments` may have been removed, so the documents are read without it too.
  const documents = () => import('../clients/documents/erase-users.ts')

  /** Whether a person was erased, and has authorized the client no more since. */
  async function wasErased(person: Person, clientId: string, people: ErasedPeople): Promise<boolean> {
    if (!people.covers(person, 1)) return false
    const { items } = await parts.grants.list({ ...person, clientId, limit: 1 })
    return items.length === 0
  }

  return {
    async erase(person: PersonToErase, options: ChangeOptions = {}): Promise<ErasedRecords> {
      // An explicit `userId: undefined` is rejected: it may be a failed lookup, and would erase the whole account.
      const rules = { accountId: textRule, ...('userId' in Object(person) && { userId: textRule }) }
      checkInput('the person cannot be erased', person, rules)
      checkChange('accounts.erase', options)
      const { accountId, userId } = person
      const people: ErasedPeople = { covers: (each) => belongsTo(each, person) }
      // The hash is stored first: if the process ends before everything is erased, an import completes the erasure.
      const { hash } = await erasures.add(person, Date.now())
      const errors: GatehouseError[] = []
      const clients = await deleteClients(parts, accountId, people, options, errors)
      if (userId === undefined) for (const erase of parts.lastUses.accountKeepers) await erase(accountId)
      const grants = await parts.grants.revokeAll(person, changeOptionsOf(options)).catch(collectIn(errors))
      await parts.sessionList.erase(accountId, people)
      await parts.clientErasure.removeDeleted(accountId)
      const { eraseDocumentUsers, eraseBlockers } = await documents()
      await eraseDocumentUsers(store, accountId, (each) => people.covers(each, 0))
      await eraseBlockers(store, people)
      const entries = await eraseTrail(parts, people, errors)
      const fields = { target: hash, ...(userId !== undefined && { accountId }) }
      const pending = await audit.entry({ name: 'account.erased', ...fields, ...changeOptionsOf(options) })
      // The actor may be the erased person.
      await audit.append([{ ...pending, entry: eraseEntry(pending.entry, people) }])
      events.emit('account.erased', { accountId, userId, actor: options.actor })
      if (errors.length > 0) throw partialFailure(errors, DONE)
      return { clients, grants: grants ?? 0, entries }
    },

    /** An import may have stored older records of erased people. Records that a person made since the erasure stay. */
    async eraseAgain(options: ChangeOptions = {}): Promise<ErasedRecords | undefined> {
      const people = await erasures.people()
      if (!people) return undefined
      const startedAt = Date.now()
      const errors: GatehouseError[] = []
      const accountIds = new Set<string>()
      for await (const { accountId, userId, at } of audit.all()) {
        if (accountId !== undefined && people.covers({ accountId, userId }, at)) accountIds.add(accountId)
      }
      const clients = await deleteClients(parts, undefined, people, options, errors, accountIds)
      const { eraseDocumentUsers, eraseBlockers } = await documents()
      let grants = 0
      for (const accountId of accountIds) {
        const revoked = await parts.grantsOfUsers.revokeSome(accountId, people.covers, options)
        grants += revoked.count
        errors.push(...revoked.errors)
        await parts.sessionList.erase(accountId, people)
        await parts.clientErasure.removeDeleted(accountId)
        await eraseDocumentUsers(store, accountId, (each, clientId) => wasErased(each, clientId, people))
      }
      await eraseBlockers(store, people)
      // Entries that this call has recorded about these people are newer than the erasures, but must be erased too.
      const covers: ErasedPeople['covers'] = (person, at) =>
        people.covers(person, at) || (at >= startedAt && people.covers(person, 1))
      const entries = await eraseTrail(parts, { covers }, errors)
      if (errors.length > 0) throw partialFailure(errors, DONE)
      return { clients, grants, entries }
    },
  }
}

/** A corrupt record adds an error to `errors`, and the tokens of its client are revoked. */
async function deleteClients(
  { clientErasure, apiKeys, applications, clientTokens, lastUses }: Parts,
  accountId: string | undefined,
  people: ErasedPeople,
  options: ChangeOptions,
  errors: GatehouseError[],
  accountIds: Set<string> = new Set(),
): Promise<number> {
  const change = changeOptionsOf(options)
  const isMeant = (found: ClientRecord | CorruptRecord) =>
    found instanceof CorruptRecord ? accountId !== undefined : people.covers(found.client, found.listedAt)
  // All clients are read before the first one is deleted, so that the pages do not shift.
  const meant: (ClientRecord | CorruptRecord)[] = []
  for await (const { items, corrupt } of clientErasure.pages(accountId)) {
    meant.push(...[...items, ...corrupt].filter(isMeant))
    for (const found of items) {
      if (isMeant(found) || !withoutErased(found, people)) continue
      await clientErasure.eraseUsers(found.client.clientId, people)
      // The address may be that of the person.
      await lastUses.forgetAddress(found.client.clientId)
    }
  }

  async function deleteOne(found: ClientRecord | CorruptRecord): Promise<boolean> {
    if (found instanceof CorruptRecord) {
      await clientTokens.revokeAll(found.id, change).catch(collectIn(errors))
      return false
    }
    const { kind, clientId } = found.client
    accountIds.add(found.client.accountId)
    try {
      await (kind === 'apiKey' ? apiKeys : applications).delete(clientId, change)
      return true
    } catch (error) {
      // Another process has deleted the client meanwhile.
      if (!hasCode(error, 'ERR_NOT_FOUND')) throw error
      return false
    }
  }

  const deleted = await inBatches(meant, CONCURRENCY, deleteOne)
  await clientErasure.removeDeletedNames()
  return deleted.filter(Boolean).length
}

async function eraseTrail({ commits, audit }: Parts, people: ErasedPeople, errors: GatehouseError[]) {
  await commits.erase(people)
  const erased = await audit.erase(people)
  errors.push(...erased.errors)
  return erased.entries
}

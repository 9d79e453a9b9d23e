import { unescape } from 'node:querystring'
import { setImmediate } from 'node:timers/promises'
import { changeFields, leakFields, MAX_LEAK_LENGTH, type LeakOptions } from '../host/change-options.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { Store } from '../store/contract.ts'
import { checkInput, stringRule } from '../validation/rules.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Applications } from './applications.ts'
import type { Client } from './client.ts'
import { clientOf, clientRecords, hasCredential, type ClientRecord } from './client-record.ts'
import { isKeyIdentity } from './jwk-set.ts'
import { createSecretOwners, type SecretOwner } from './secret-owners.ts'
import { hashOf } from './stored-secrets.ts'

/** What is known about a secret. */
export interface FoundSecret extends SecretOwner {
  /** The client; undefined if it was deleted, or if its record is corrupt. */
  readonly client?: Client | undefined
  /** Whether the client can still authenticate with the secret, unless the client is disabled or has expired. */
  readonly isValid: boolean
  /** Further clients with the same key; absent for a secret, which only one client has. */
  readonly others?: readonly FoundSecret[] | undefined
}

/** Finds the clients of secrets, for reports of leaks, and revokes the secrets that leaked. */
export interface Secrets {
  /**
   * Finds the client to which a secret belongs, or belonged in the last year. Spaces around the secret are ignored. The
   * text may also have the private key of a client, as a JWK or in PEM format. A public key finds nothing, because it
   * cannot leak.
   *
   * @returns undefined if no client has or had the secret
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `secret` is not a text; `ERR_STORE_UNAVAILABLE`
   */
  find(secret: string): Promise<FoundSecret | undefined>
  /**
   * Finds the client to which a leaked secret belongs. Then revokes the secret and all access tokens of the client, as
   * `reportCompromised` with `secretHash` does. Another secret of the client stays valid. If the secret was replaced
   * before, only the access tokens are revoked, because a thief may have obtained them with the secret. A repeated
   * report changes nothing. A private key is revoked at all clients that have it.
   *
   * @returns the client as it was before; undefined if no client has or had the secret
   * @throws {GatehouseError} as `find`, and the errors of `reportCompromised`
   */
  reportLeaked(secret: string, options?: LeakOptions): Promise<FoundSecret | undefined>
}

export function createSecrets(parts: {
  readonly store: Store
  readonly apiKeys: Pick<ApiKeys, 'reportCompromised'>
  readonly applications: Pick<Applications, 'reportCompromised'>
}) {
  const { store, apiKeys, applications } = parts
  const owners = createSecretOwners(store)
  const { getEach } = clientRecords(store)

  /** Two reads of the store for each 1000 secrets, and three more for each private key. */
  async function findEach(secrets: readonly string[]): Promise<(FoundSecret | undefined)[]> {
    const hashes = await identifyEach(secrets)
    const found = await owners.find(hashes)
    const ids = [...new Set(found.flatMap((owner) => owner?.clientId ?? []))]
    const records = new Map((await getEach(ids)).map((record, at) => [ids[at], record]))
    const results: (FoundSecret | undefined)[] = []
    for (const [at, owner] of found.entries()) {
      const hash = hashes[at] ?? ''
      if (isKeyIdentity(hash)) results.push(await findKey(hash))
      else results.push(owner && present(owner, records.get(owner.clientId), hash))
    }
    return results
  }

  /** A client that can still use the key comes first. */
  async function findKey(identity: string): Promise<FoundSecret | undefined> {
    const all = await owners.findOfKey(identity)
    const records = await getEach(all.map(({ clientId }) => clientId))
    const found = all.map((owner, at) => present(owner, records[at], identity))
    const [first, ...others] = found.toSorted((one, other) => Number(other.isValid) - Number(one.isValid))
    return first && { ...first, others }
  }

  /** @param options `leakSource` and `leakUrl` may be of any length, and may contain the secret */
  async function revoke(found: FoundSecret, secret: string, options: LeakOptions): Promise<void> {
    const own = secret.trim()
    const [secretHash = ''] = await identifyEach([own])
    // A private key has too many spellings to look for it in the texts.
    const leak = isKeyIdentity(secretHash)
      ? { leakSource: undefined, leakUrl: originOf(options.leakUrl) }
      : {
          leakSource: placeOf(options.leakSource, own, MAX_LEAK_LENGTH.source),
          leakUrl: placeOf(options.leakUrl, own, MAX_LEAK_LENGTH.url),
        }
    const failures: unknown[] = []
    for (const { kind, clientId, client, isValid, reported } of [found, ...(found.others ?? [])]) {
      if (!isValid && (!client || reported)) continue
      const service = kind === 'apiKey' ? apiKeys : applications
      const report = { ...options, ...leak, secretHash, isLost: !isValid }
      await service.reportCompromised(clientId, report).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }

  return {
    findEach,
    revoke,
    /** A private key may have clients in several accounts. */
    async findIn(accountId: string, secret: string): Promise<FoundSecret | undefined> {
      const [found] = await findEach([secret])
      const all = found ? [found, ...(found.others ?? [])] : []
      const [first, ...others] = all.filter(({ client }) => client?.accountId === accountId)
      return first && { ...first, others }
    },
    async find(secret) {
      checkInput('the secret cannot be found', { secret }, { secret: stringRule })
      return (await findEach([secret]))[0]
    },
    async reportLeaked(secret, options = {}) {
      const fields = { secret: stringRule, ...changeFields, ...leakFields }
      checkInput('the leak cannot be reported', { secret, ...options }, fields)
      const [found] = await findEach([secret])
      if (found) await revoke(found, secret, options)
      return found
    },
  } satisfies Secrets & Record<string, unknown>
}

function present(owner: SecretOwner, record: ClientRecord | CorruptRecord | undefined, hash: string) {
  // Revoking it later fails with the error of the record. All others are still revoked.
  if (record instanceof CorruptRecord) return { ...owner, client: undefined, isValid: true }
  const isValid = record !== undefined && hasCredential(record, hash)
  return { ...owner, client: record && clientOf(record), isValid }
}

const MAY_BE_PRIVATE_KEY = /PRIVATE KEY|"d"/

/** Before other requests get their turn. */
const KEYS_PER_TURN = 20

async function identifyEach(texts: readonly string[]): Promise<string[]> {
  const hashes: string[] = []
  let count = 0
  for (const text of texts.map((each) => each.trim())) {
    if (!MAY_BE_PRIVATE_KEY.test(text)) {
      hashes.push(hashOf(text))
      continue
    }
    // Loaded when first needed, because most services have no keys of clients.
    const { identityOfPrivateKey } = await import('./public-keys.ts')
    hashes.push(identityOfPrivateKey(text) ?? hashOf(text))
    if ((count += 1) % KEYS_PER_TURN === 0) await setImmediate()
  }
  return hashes
}

export type LeakedSecrets = ReturnType<typeof createSecrets>

/** As the audit trail accepts it: only the origin if the text contains the secret in any spelling. */
function placeOf(text: string | undefined, secret: string, maxLength: number): string | undefined {
  if (text === undefined) return undefined
  const plain = unescape(text).replaceAll(/\p{C}/gu, '')
  const hasSecret = (part: string) => part.toLowerCase().includes(secret.toLowerCase())
  const origin = originOf(text) ?? '/…'
  const safe = !hasSecret(plain) ? text : hasSecret(origin) ? '/…' : origin
  // The cut may leave half a character, which `replaceAll` then removes.
  return safe.slice(0, maxLength).replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '') || undefined
}

/** With a mark for what was left out; undefined for a text that is no address. */
function originOf(text: string | undefined): string | undefined {
  const url = text === undefined || text.length > 2000 ? null : URL.parse(text)
  return url && url.host !== '' ? `${url.protocol}//${url.host}/…` : undefined
}

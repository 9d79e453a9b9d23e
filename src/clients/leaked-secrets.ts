import { unescape } from 'node:querystring'
import { changeFields, leakFields, MAX_LEAK_LENGTH, type LeakOptions } from '../host/change-options.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { Store } from '../store/contract.ts'
import { checkInput, stringRule } from '../validation/rules.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Applications } from './applications.ts'
import type { Client } from './client.ts'
import type { LoadPublicKeys } from './public-keys.ts'
import { clientOf, clientRecords, hasCredential } from './client-record.ts'
import { createSecretOwners, type SecretOwner } from './secret-owners.ts'
import { hashOf } from './stored-secrets.ts'

/** What is known about a secret. */
export interface FoundSecret extends SecretOwner {
  /** The client; undefined if it was deleted, or if its record is corrupt. */
  readonly client?: Client | undefined
  /** Whether the client can still authenticate with the secret, unless the client is disabled or has expired. */
  readonly isValid: boolean
}

/** Finds the clients of secrets, for reports of leaks. */
export interface Secrets {
  /**
   * Finds the client to which a secret belongs, or belonged in the last year. Spaces around the secret are ignored. With
   * the option `privateKeyJwt`, the text may also be the private key of a client, as a JWK or in PEM format.
   *
   * @returns undefined if no client has or had the secret. While `health()` warns about the check `client index`, the
   *   secret of a client from an older version may not be found yet
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `secret` is not a text; `ERR_STORE_UNAVAILABLE`
   */
  find(secret: string): Promise<FoundSecret | undefined>
  /**
   * Finds the client to which a leaked secret belongs. Then revokes the secret and all access tokens of the client, as
   * `reportCompromised` with `secretHash` does. Another secret of the client stays valid. If the secret was replaced
   * before, only the access tokens are revoked, because a thief may have obtained them with the secret. A repeated
   * report changes nothing.
   *
   * @returns the client as it was before; undefined if no client has or had the secret
   * @throws {GatehouseError} as `find`, and the errors of `reportCompromised`
   */
  reportLeaked(secret: string, options?: LeakOptions): Promise<FoundSecret | undefined>
}

/** Finds the clients of secrets in the store. */
export function createSecrets({
  store,
  apiKeys,
  applications,
  loadPublicKeys,
}: {
  readonly store: Store
  readonly loadPublicKeys: LoadPublicKeys | undefined
  readonly apiKeys: Pick<ApiKeys, 'reportCompromised'>
  readonly applications: Pick<Applications, 'reportCompromised'>
}) {
  const owners = createSecretOwners(store)
  const { getEach } = clientRecords(store)

  /** Finds the clients of many secrets. Takes two reads of the store for each 500 secrets. */
  async function findEach(secrets: readonly string[]): Promise<(FoundSecret | undefined)[]> {
    const identityOf = await identityReader(loadPublicKeys)
    const hashes = secrets.map((secret) => identityOf(secret.trim()))
    const found = await owners.find(hashes)
    const ids = [...new Set(found.flatMap((owner) => owner?.clientId ?? []))]
    const records = new Map((await getEach(ids)).map((record, at) => [ids[at], record]))
    return found.map((owner, at) => {
      if (!owner) return undefined
      const record = records.get(owner.clientId)
      // Revoking this secret later fails with the error of the record. Other secrets of the report are still revoked.
      if (record instanceof CorruptRecord) return { ...owner, client: undefined, isValid: true }
      const isValid = record !== undefined && hasCredential(record, hashes[at] ?? '')
      return { ...owner, client: record && clientOf(record), isValid }
    })
  }

  /**
   * Revokes a secret that was found, and all access tokens of its client. If the secret is not valid any more, only the
   * access tokens are revoked. Nothing changes if this was done before, or if the client was deleted.
   *
   * @param options `leakSource` and `leakUrl` may be of any length, and may contain the secret
   */
  async function revoke(
    { kind, clientId, client, isValid, reported }: FoundSecret,
    secret: string,
    options: LeakOptions,
  ): Promise<void> {
    if (!isValid && (!client || reported)) return
    const identityOf = await identityReader(loadPublicKeys)
    const service = kind === 'apiKey' ? apiKeys : applications
    const own = secret.trim()
    const leak = {
      leakSource: placeOf(options.leakSource, own, MAX_LEAK_LENGTH.source),
      leakUrl: placeOf(options.leakUrl, own, MAX_LEAK_LENGTH.url),
    }
    await service.reportCompromised(clientId, {
      ...options,
      ...leak,
      secretHash: identityOf(own),
      isLost: !isValid,
    })
  }

  return {
    findEach,
    revoke,
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

/** Creates a function that returns the hash of a secret, or the identity of a private key. */
async function identityReader(loadPublicKeys: LoadPublicKeys | undefined): Promise<(text: string) => string> {
  const publicKeys = await loadPublicKeys?.()
  return (text) => publicKeys?.identityOfPrivateKey(text) ?? hashOf(text)
}

/** Finds and revokes secrets that leaked. */
export type LeakedSecrets = ReturnType<typeof createSecrets>

/**
 * Where a secret was found, as the audit trail accepts it. If the text contains the secret in any spelling, only the
 * origin of the address is left.
 */
function placeOf(text: string | undefined, secret: string, maxLength: number): string | undefined {
  if (text === undefined) return undefined
  const plain = unescape(text).replaceAll(/\p{C}/gu, '').toLowerCase()
  const origin = /^[a-z]+:\/\/[^/?#@]*/i.exec(text)?.[0] ?? ''
  const safe = plain.includes(secret.toLowerCase()) ? `${origin}/…` : text
  // The cut may leave half a character, which `replaceAll` then removes.
  return safe.slice(0, maxLength).replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '') || undefined
}

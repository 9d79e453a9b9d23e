import { randomBytes } from 'node:crypto'
import { isRejection } from '../errors.ts'
import { changeOptionsOf, checkChange } from '../host/change-options.ts'
import { checkInput, hostIdRule, oneOf, optional, stringRule, wholeNumber } from '../validation/rules.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'
import { IF_MATCH, type ConditionalChange } from './client-etag.ts'
import { type ClientRepository, requireRecord } from './client-repository.ts'
import { type ApplyChange, changeRecord } from './store-change.ts'
import type { ClientService, RotatedSecret, RotationOptions } from './client-service-types.ts'
import { keysOf } from './jwk-set.ts'
import { requireConfidential } from './public-applications.ts'
import { reportCompromised } from './report-compromised.ts'
import { goneSince, type Attempt } from './idempotency.ts'
import { lastUseSince, presentClient, type LastUses } from './last-used.ts'
import { isRotated, OVERLAP_SECONDS, revokeSecret, rotateSecret } from './secret-rotation.ts'
import { formatSecret, hintOf } from './secret-format.ts'
import { hashSecret, hasSecretHash, isLive, secretHashRule, type SecretInfo } from './stored-secrets.ts'

/** Rotates, sets, revokes and lists secrets of clients; a repeat by idempotency key gives the same new secret. */
export function createSecretMethods<C extends Client>(
  clients: ClientRepository<C>,
): Pick<
  ClientService<C, string, string>,
  'rotateSecret' | 'setSecretHash' | 'revokeSecret' | 'listSecrets' | 'reportCompromised'
> {
  return {
    async rotateSecret(clientId, options = {}) {
      checkChange('secret.rotated', options, {
        overlapSeconds: optional(wholeNumber(0, OVERLAP_SECONDS.max)),
        idempotencyKey: optional(stringRule),
        shownTo: optional(hostIdRule),
      })
      const { idempotencyKey: key } = options
      if (key === undefined) return setNewSecret(clients, clientId, options)

      const { client, secrets } = await requireRecord(clients, clientId)
      requireConfidential(client)
      const attempt = await clients.idempotency.begin({
        key,
        what: ['rotate secret', clientId, client.accountId, options.actor],
        input: { overlapSeconds: options.overlapSeconds },
        newestCreatedAt: secrets[0]?.createdAt,
      })
      // The record is read again, because an earlier attempt may have changed it after the first read.
      if (attempt.isRepeat)
        return presentRotation(await requireRecord(clients, clientId), attempt.clientSecret)
      try {
        const rotated = await setNewSecret(clients, clientId, options, attempt)
        await attempt.complete()
        return rotated
      } catch (error) {
        if (isRejection(error)) await attempt.reject()
        throw error
      } finally {
        attempt.end()
      }
    },

    async setSecretHash(clientId, secretHash, options) {
      checkInput('the secret cannot be set', { secretHash }, { secretHash: secretHashRule })
      const set: ApplyChange<C> = (record) => {
        requireConfidential(record.client)
        const now = Date.now()
        const [current, ...others] = record.secrets.filter((secret) => isLive(secret, now))
        if (current?.hash === secretHash && others.length === 0) return undefined
        return { ...record, secrets: [{ hash: secretHash, createdAt: Math.floor(now / 1000) }] }
      }
      const what = { clientId, name: 'secret.rotated', options, credentials: [secretHash] }
      const changed = await changeRecord(clients, what, set)
      return presentClient(clients, changed)
    },

    async revokeSecret(clientId, which, options) {
      checkInput('the secret cannot be revoked', { which }, { which: oneOf('old', 'new') })
      const what = { clientId, name: 'secret.revoked', target: which, options }
      const changed = await changeRecord(clients, what, (record) => {
        const secrets = revokeSecret(record.secrets, which, Date.now(), keysOf(record.client).length > 0)
        return secrets && { ...record, secrets }
      })
      return presentClient(clients, changed)
    },

    async listSecrets(clientId) {
      const [secrets = []] = await presentSecrets(clients.secretUses, [
        await requireRecord(clients, clientId),
      ])
      return secrets
    },

    reportCompromised: (clientId, options) => reportCompromised(clients, clientId, options),
  }
}

/** Each list newest first. All last uses are read at once. */
export async function presentSecrets(
  secretUses: Pick<LastUses, 'get'>,
  records: readonly Pick<ClientRecord, 'secrets'>[],
): Promise<SecretInfo[][]> {
  const now = Date.now()
  const live = records.map(({ secrets }) => secrets.filter((secret) => isLive(secret, now)))
  const hashes = live.flat().map(({ hash }) => hash)
  const uses = await secretUses.get(hashes)
  const lastUses = new Map(hashes.map((hash, at) => [hash, uses[at]]))
  return live.map((secrets) =>
    secrets.map(({ hash, createdAt, expiresAt, hint, shownTo }) => {
      const lastUsedAt = lastUseSince(createdAt, lastUses.get(hash))
      return { createdAt, expiresAt, lastUsedAt, hint, shownTo }
    }),
  )
}

async function setNewSecret<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  options: RotationOptions & ConditionalChange,
  attempt?: Attempt,
): Promise<RotatedSecret> {
  const { overlapSeconds = OVERLAP_SECONDS.byDefault, shownTo } = options
  const clientSecret = attempt?.clientSecret ?? formatSecret(randomBytes(32), clients.secretPrefix)
  const hash = hashSecret(clientSecret)
  const hint = hintOf(clientSecret)
  const change = { ...changeOptionsOf(options), [IF_MATCH]: options[IF_MATCH] }
  const rotation = { clientId, name: 'secret.rotated', options: change, credentials: [hash] }
  const rotate: ApplyChange<C> = (stored) => {
    requireConfidential(stored.client)
    if (attempt && isRotated(stored.secrets, hash, attempt)) return undefined
    return {
      ...stored,
      secrets: rotateSecret(stored.secrets, { hash, hint, now: Date.now(), overlapSeconds, shownTo }),
    }
  }
  const record = await changeRecord(clients, rotation, rotate)
  return presentRotation(record, clientSecret)
}

/** @throws {GatehouseError} `ERR_IDEMPOTENCY_KEY` if the secret was revoked after the first attempt */
function presentRotation({ secrets }: Pick<ClientRecord, 'secrets'>, clientSecret: string): RotatedSecret {
  const hash = hashSecret(clientSecret)
  if (!hasSecretHash(secrets, hash)) throw goneSince('secret')
  // The old secret comes after this secret. A later rotation may have added a newer secret before it.
  const old = secrets[secrets.findIndex((secret) => secret.hash === hash) + 1]
  return { clientSecret, oldSecretExpiresAt: old && isLive(old, Date.now()) ? old.expiresAt : undefined }
}

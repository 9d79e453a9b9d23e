import { createHmac, randomBytes } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule, oneOf, optional, textRule } from '../validation/rules.ts'
import type { Client } from './client.ts'
import { newClientId } from './client-id.ts'
import { formatSecret } from './secret-format.ts'

const KEPT_SECONDS = 86_400
/** A change makes only a few calls to the store, and each fails after one second by default. */
const ABANDONED_AFTER_MS = 10_000

/** The client secret can be derived from this record only with the option `secret` of the server. */
interface IdempotencyRecord {
  readonly body: string
  /** Random, so that the same idempotency key leads to another secret after this record has expired. */
  readonly nonce: string
  readonly state: 'pending' | 'done'
  readonly process: string
  /** When the attempt began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** For a rotation: `createdAt` of the newest secret before the first attempt. */
  readonly newestCreatedAt?: number | undefined
  /** The option `secretPrefix` may change before a repeat. */
  readonly prefix: string
}

export interface RepeatableChange {
  readonly key: string
  /** Who makes the change, and what it changes: the same key means another change elsewhere. */
  readonly what: readonly (string | undefined)[]
  readonly input: unknown
  /** For a rotation: `createdAt` of the newest secret. Later attempts get the value of the first attempt. */
  readonly newestCreatedAt?: number | undefined
}

/** The caller must always call `end`. */
export interface Attempt extends Pick<IdempotencyRecord, 'newestCreatedAt'> {
  /** If an earlier attempt was completed, the caller must not make the change again. */
  readonly isRepeat: boolean
  /** Equal for every attempt of the same change. */
  readonly clientSecret: string
  clientId(kind: Client['kind']): string
  /** @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` */
  complete(): Promise<void>
  /** For a change that was rejected: the key is free again if no attempt can have changed anything. */
  reject(): Promise<void>
  /** Ends the attempt, so that this process may begin another one. */
  end(): void
}

/**
 * Makes changes with an idempotency key repeatable for 24 hours. The new client id and secret are derived from `keys`
 * (newest first), the change and the idempotency key, so that the store does not contain the secret.
 */
export function createIdempotency(store: Store, keys: readonly Uint8Array[], prefix: string) {
  const process = randomBytes(12).toString('base64url')
  const records = createCollection<IdempotencyRecord>(store, {
    name: 'idempotency',
    version: 1,
    fields: {
      body: textRule,
      nonce: textRule,
      state: oneOf('pending', 'done'),
      process: textRule,
      startedAt: countRule,
      newestCreatedAt: optional(countRule),
      prefix: textRule,
    },
  })
  const running = new Set<string>()

  /** The id may be derived from an older secret of the server. */
  async function locate(name: string) {
    const places = keys.map((key) => ({ key, id: mac(key, 'record', name).toString('base64url') }))
    const found = await records.getMany(places.map(({ id }) => id))
    const at = Math.max(found.findIndex(Boolean), 0)
    return { ...(places[at] ?? { key: new Uint8Array(), id: '' }), found: found[at] }
  }

  /** `isFirst` is true if no earlier attempt can have changed anything. */
  async function start(id: string, begun: Pick<IdempotencyRecord, 'body' | 'newestCreatedAt'>) {
    const now = { process, startedAt: Date.now() }
    const nonce = randomBytes(16).toString('base64url')
    const first: IdempotencyRecord = { ...begun, prefix, nonce, state: 'pending', ...now }
    if (await records.create(id, first, KEPT_SECONDS)) return { record: first, isFirst: true }
    const before = await records.read(id)
    if (!before || before.record.state === 'done' || before.record.body !== begun.body) throw inProgress()
    // Otherwise `running` would contain the attempt.
    const age = now.startedAt - before.record.startedAt
    if (before.record.process !== process && age < ABANDONED_AFTER_MS) throw inProgress()
    const record = { ...before.record, ...now }
    if (!(await records.replace(id, before, record, KEPT_SECONDS))) throw inProgress()
    return { record, isFirst: false }
  }

  return {
    /**
     * @throws {GatehouseError} `ERR_IDEMPOTENCY_KEY` if the key is not valid, or was used with another input;
     *   `ERR_IN_PROGRESS`; `ERR_STORE_UNAVAILABLE`
     */
    async begin({ key: givenKey, what, input, newestCreatedAt }: RepeatableChange): Promise<Attempt> {
      if (typeof givenKey !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(givenKey)) {
        throw keyError('an idempotency key must have 1 to 255 visible ASCII characters')
      }
      const name = JSON.stringify([...what.map((part) => part ?? null), givenKey])
      const { id, key, found } = await locate(name)
      const body = mac(key, 'body', `${name} ${JSON.stringify(input)}`).toString('base64url')
      if (found && found.body !== body) {
        throw keyError('this idempotency key was used with another input')
      }
      if (found?.state === 'done') {
        const nothing = async () => {}
        return { isRepeat: true, ...derive(key, name, found), complete: nothing, reject: nothing, end() {} }
      }
      if (running.has(id)) throw inProgress()
      running.add(id)
      try {
        const { record, isFirst } = await start(id, { body, newestCreatedAt })
        return {
          isRepeat: false,
          newestCreatedAt: record.newestCreatedAt,
          ...derive(key, name, record),
          async complete() {
            await records.update(id, (latest) => ({ ...latest, state: 'done' }), KEPT_SECONDS)
          },
          async reject() {
            // If this fails, the record expires.
            if (isFirst) await records.delete(id).catch(() => {})
          },
          end: () => void running.delete(id),
        }
      } catch (error) {
        running.delete(id)
        throw error
      }
    },
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>

export function goneSince(what: 'client' | 'secret'): GatehouseError {
  const gone = what === 'client' ? 'the client was deleted' : 'the secret was revoked'
  return keyError(`what this idempotency key has created is gone: ${gone} since`)
}

function derive(
  key: Uint8Array,
  name: string,
  { nonce, prefix }: Pick<IdempotencyRecord, 'nonce' | 'prefix'>,
) {
  const of = (purpose: string) => mac(key, purpose, `${nonce} ${name}`)
  return {
    clientId: (kind: Client['kind']) => newClientId(kind, of('client id').subarray(0, 16)),
    clientSecret: formatSecret(of('client secret'), prefix),
  }
}

function mac(key: Uint8Array, purpose: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${purpose} ${text}`).digest()
}

function keyError(message: string): GatehouseError {
  return new GatehouseError('ERR_IDEMPOTENCY_KEY', message)
}

function inProgress(): GatehouseError {
  return new GatehouseError('ERR_IN_PROGRESS', 'a change with this idempotency key is in progress: try again')
}

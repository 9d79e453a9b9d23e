import { createHmac, randomBytes } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule, oneOf, optional, textRule } from '../validation/rules.ts'
import type { Client } from './client.ts'
import { newClientId } from './client-id.ts'
import { formatSecret } from './secret-format.ts'

/** Seconds for which a repeat gets the result of the first attempt. */
const KEPT_SECONDS = 86_400
/**
 * Milliseconds after which another process may take over a change that was not completed. A change makes only a few
 * calls to the store. By default, each call fails after one second.
 */
const ABANDONED_AFTER_MS = 10_000

/**
 * The record of one change with an idempotency key. The client secret can be derived from this record only with the
 * option `secret` of the server.
 */
interface IdempotencyRecord {
  /** Keyed digest of the input. */
  readonly body: string
  /** Random, so that the same idempotency key leads to another client secret after this record has expired. */
  readonly nonce: string
  readonly state: 'pending' | 'done'
  /** The process that made the last attempt. */
  readonly process: string
  /** When the last attempt began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** For a rotation: `createdAt` of the newest secret before the first attempt. */
  readonly newestCreatedAt?: number | undefined
  /** What the new secret begins with. The option `secretPrefix` may have another value when the change is repeated. */
  readonly prefix: string
}

/** A change with an idempotency key. */
export interface RepeatableChange {
  readonly key: string
  /** Who makes the change, and what it changes. With another value, the same key means another change. */
  readonly what: readonly (string | undefined)[]
  /** The input of the change. If the same key is used with another input, the attempt is rejected. */
  readonly input: unknown
  /** For a rotation: `createdAt` of the newest secret now. Later attempts get the value of the first attempt. */
  readonly newestCreatedAt?: number | undefined
}

/** One attempt at a change. The caller must always call `end`. */
export interface Attempt extends Pick<IdempotencyRecord, 'newestCreatedAt'> {
  /** Whether an earlier attempt was completed. If so, the caller must not make the change again. */
  readonly isRepeat: boolean
  /** The secret that every attempt of the same change gets. */
  readonly clientSecret: string
  /** The client id that every attempt of the same creation gets. */
  clientId(kind: Client['kind']): string
  /** Stores that the change was made. @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` */
  complete(): Promise<void>
  /**
   * Call this if the change was rejected. If no earlier attempt can have changed anything, the key may then be used
   * with corrected input.
   */
  reject(): Promise<void>
  /** Ends the attempt, so that this process may begin another one. */
  end(): void
}

/**
 * Makes changes with an idempotency key repeatable for 24 hours. The new client id and client secret are derived from
 * `keys`, the change and the idempotency key. So a repeat returns the same client secret, although the store does not
 * contain it.
 *
 * @param keys derived from the secrets of the server, newest first
 * @param prefix what generated secrets begin with
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
  /** The changes that this process is making. */
  const running = new Set<string>()

  /**
   * Finds the record of an earlier attempt, even if the id of this record was derived from an older secret of the
   * server.
   */
  async function locate(name: string) {
    const places = keys.map((key) => ({ key, id: mac(key, 'record', name).toString('base64url') }))
    const found = await records.getMany(places.map(({ id }) => id))
    const at = Math.max(found.findIndex(Boolean), 0)
    return { ...(places[at] ?? { key: new Uint8Array(), id: '' }), found: found[at] }
  }

  /** Stores that an attempt begins. `isFirst` is true if no earlier attempt can have changed anything. */
  async function start(id: string, begun: Pick<IdempotencyRecord, 'body' | 'newestCreatedAt'>) {
    const now = { process, startedAt: Date.now() }
    const nonce = randomBytes(16).toString('base64url')
    const first: IdempotencyRecord = { ...begun, prefix, nonce, state: 'pending', ...now }
    if (await records.create(id, first, KEPT_SECONDS)) return { record: first, isFirst: true }
    const before = await records.read(id)
    if (!before || before.record.state === 'done' || before.record.body !== begun.body) throw inProgress()
    // This process is not running the attempt: otherwise `running` would contain it.
    const age = now.startedAt - before.record.startedAt
    if (before.record.process !== process && age < ABANDONED_AFTER_MS) throw inProgress()
    const record = { ...before.record, ...now }
    if (!(await records.replace(id, before, record, KEPT_SECONDS))) throw inProgress()
    return { record, isFirst: false }
  }

  async function forget(id: string): Promise<void> {
    try {
      await records.delete(id)
    } catch {
      // The record stays until it expires, which is harmless.
    }
  }

  return {
    /**
     * Begins an attempt at a change.
     *
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
      const nothing = async () => {}
      if (found?.state === 'done') {
        return {
          isRepeat: true,
          ...derive(key, name, found),
          complete: nothing,
          reject: nothing,
          end() {},
        }
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
            if (isFirst) await forget(id)
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

/** The error for a repeat whose client was deleted, or whose secret was revoked. */
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

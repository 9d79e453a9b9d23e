import { createHmac, randomBytes } from 'node:crypto'
import { isRejection } from '../../errors.ts'
import type { Caller } from '../../host/caller.ts'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { countRule, oneOf, optional, textRule } from '../../validation/rules.ts'
import type { Client } from '../client.ts'
import { RepeatError } from './repeat-error.ts'

/** How long a repeat gets the same answer, in seconds. */
const KEPT_SECONDS = 86_400
/**
 * Milliseconds after which another process may take over a request that was not completed. A request makes a
 * few calls to the store, each of which fails after a second by default.
 */
const ABANDONED_AFTER_MS = 10_000

/** One request with an idempotency key. The secret cannot be derived from it without a secret of the server. */
interface IdempotencyRecord {
  /** Keyed digest of the body. */
  readonly body: string
  /** Random. The same key gets other secrets once this record has expired. */
  readonly nonce: string
  readonly state: 'pending' | 'done'
  /** The process that made the last attempt. */
  readonly process: string
  /** When the last attempt began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** For a rotation: `createdAt` of the newest secret before the first attempt. */
  readonly newestCreatedAt?: number | undefined
}

/** What the first attempt of a request found. */
type Begun = Pick<IdempotencyRecord, 'newestCreatedAt'>

/** A request with an `Idempotency-Key`, and what it does. */
export interface RepeatableRequest<Result> {
  readonly caller: Caller
  readonly key: string
  /** Method and path: the same key at another path is another request. */
  readonly target: string
  readonly body: unknown
  /** Finds what every later attempt must know. @default nothing */
  readonly prepare?: (() => Promise<Begun>) | undefined
  /** Makes the change, or finds that an earlier attempt has made it. */
  run(secrets: DerivedSecrets, begun: Begun): Promise<Result>
  /** The answer to a repeat of a request that was completed. */
  repeat(secrets: DerivedSecrets): Promise<Result>
}

/** The client id and the secret that every attempt of the same request gets. */
export interface DerivedSecrets {
  clientId(kind: Client['kind']): string
  readonly clientSecret: string
}

/**
 * Makes requests with an `Idempotency-Key` repeatable for 24 hours. Client id and secret are derived from a
 * secret of the server, the caller, the path and the `Idempotency-Key`. So a repeat gets the same answer, and
 * the store has nothing that anyone could use.
 *
 * @param keys derived from the secrets of the server, newest first
 */
export function createIdempotency(store: Store, keys: readonly Uint8Array[]) {
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
    },
  })
  /** The requests that this process is working on. */
  const running = new Set<string>()

  /** Finds the record of an earlier attempt, perhaps under an earlier secret of the server. */
  async function locate(name: string) {
    const places = keys.map((key) => ({ key, id: mac(key, 'record', name).toString('base64url') }))
    const found = await records.getMany(places.map(({ id }) => id))
    const at = Math.max(found.findIndex(Boolean), 0)
    return { ...(places[at] ?? { key: new Uint8Array(), id: '' }), found: found[at] }
  }

  /** Stores that an attempt begins. `isFirst` says that no attempt before it can have changed anything. */
  async function begin(id: string, body: string, prepare: () => Promise<Begun>) {
    const attempt = { process, startedAt: Date.now() }
    const nonce = randomBytes(16).toString('base64url')
    const first: IdempotencyRecord = { body, nonce, state: 'pending', ...attempt, ...(await prepare()) }
    if (await records.create(id, first, KEPT_SECONDS)) return { record: first, isFirst: true }
    const before = await records.read(id)
    if (!before || before.record.state === 'done' || before.record.body !== body) throw inProgress()
    // An attempt of this process is not running, or it would be in `running`.
    const age = attempt.startedAt - before.record.startedAt
    if (before.record.process !== process && age < ABANDONED_AFTER_MS) throw inProgress()
    const record = { ...before.record, ...attempt }
    if (!(await records.replace(id, before, record, KEPT_SECONDS))) throw inProgress()
    return { record, isFirst: false }
  }

  async function attempt<Result>(
    { id, key, name, body }: { id: string; key: Uint8Array; name: string; body: string },
    { prepare = async () => ({}), run }: RepeatableRequest<Result>,
  ): Promise<Result> {
    const { record, isFirst } = await begin(id, body, prepare)
    try {
      const result = await run(derive(key, name, record), record)
      await records.update(id, (latest) => ({ ...latest, state: 'done' }), KEPT_SECONDS)
      return result
    } catch (error) {
      // Nothing was changed, so the client may correct the request and send it with the same key.
      if (isFirst && isRejection(error)) await records.delete(id).catch(() => {})
      throw error
    }
  }

  return async function repeatable<Result>(request: RepeatableRequest<Result>): Promise<Result> {
    if (!/^[\x21-\x7e]{1,255}$/.test(request.key)) {
      throw new RepeatError('invalid-key', 'Idempotency-Key must have 1 to 255 visible ASCII characters')
    }
    const { accountId, userId = null } = request.caller
    const name = JSON.stringify([accountId, userId, request.target, request.key])
    const { id, key, found } = await locate(name)
    const body = mac(key, 'body', `${name} ${JSON.stringify(request.body)}`).toString('base64url')
    if (found && found.body !== body) {
      throw new RepeatError('other-body', 'this Idempotency-Key was used with another body')
    }
    if (found?.state === 'done') return request.repeat(derive(key, name, found))
    if (running.has(id)) throw inProgress()
    running.add(id)
    try {
      return await attempt({ id, key, name, body }, request)
    } finally {
      running.delete(id)
    }
  }
}

export type Repeatable = ReturnType<typeof createIdempotency>

const PREFIX: Record<Client['kind'], string> = { apiKey: 'key_', application: 'app_' }

function derive(key: Uint8Array, name: string, { nonce }: Pick<IdempotencyRecord, 'nonce'>): DerivedSecrets {
  const of = (purpose: string) => mac(key, purpose, `${nonce} ${name}`)
  return {
    clientId: (kind) => PREFIX[kind] + of('client id').subarray(0, 16).toString('base64url'),
    clientSecret: `gatehouse_${of('client secret').toString('base64url')}`,
  }
}

function mac(key: Uint8Array, purpose: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${purpose} ${text}`).digest()
}

function inProgress(): RepeatError {
  return new RepeatError('in-progress', 'a request with this Idempotency-Key is in progress: try again')
}

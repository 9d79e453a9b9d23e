import { randomUUID } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import { createCollection, type Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import {
  type Fields,
  finiteNumberRule,
  listOf,
  objectOf,
  oneOf,
  optional,
  stringRule,
} from '../validation/rules.ts'
import { generateSigningKey, toPublicJwk, type SigningAlgorithm, type SigningJwk } from './generate-key.ts'
import { ALGORITHMS, inState, KEY_STATES, partOf, type RingKey } from './key-states.ts'
import { findKeyRingProblem } from './key-ring-validation.ts'
import type { KeyEncryption, OpenedKey } from './key-encryption.ts'

/** A key with its material, which a key that is out of service has no more. */
export interface OpenKey extends RingKey {
  /** Its private part, or its public part where that is enough. */
  readonly jwk?: SigningJwk | undefined
  /** The same as it stands in the store; undefined where that is to be written anew. */
  readonly sealed?: string | undefined
}

/** The keys as they stand in the store. */
export interface StoredRing {
  readonly keys: readonly OpenKey[]
  /** Another one after each change. */
  readonly id: string
  /** Whether a key is sealed under a secret that has been replaced. */
  readonly isOutdated: boolean
  readonly stored: Stored<KeyRingRecord>
  /** The mark in the revocation log that it belongs to; undefined until the log is marked. */
  readonly log?: string | undefined
  /** Why it took the place of another one; undefined for the first one. */
  readonly replaced?: RingLoss | undefined
}

/** What the store had lost: the keys while the revocation log was there, the log while the keys were there, or both. */
export type LostPart = 'keys' | 'log' | 'both'

/** Why and when a ring took the place of another one. */
export interface RingLoss {
  readonly lost: LostPart
  /** Epoch seconds. */
  readonly at: number
}

interface KeyRecord extends RingKey {
  /** A compact JWE. Public parts are sealed too: whoever can write to the store must not add a key of their own. */
  readonly sealed?: string | undefined
}

interface KeyRingRecord {
  readonly id: string
  readonly keys: readonly KeyRecord[]
  readonly log?: string | undefined
  readonly replaced?: RingLoss | undefined
}

/** What of a ring stays as it is while its keys change. */
export type RingOrigin = Pick<StoredRing, 'log' | 'replaced'>

/** The one record of all keys: what changes it at all changes it at once. */
export interface KeyRingRecords {
  /**
   * @throws {GatehouseError} `ERR_SECRET_MISMATCH` if none of the secrets opens the keys; `ERR_STORE_CORRUPT`;
   *   `ERR_STORE_UNAVAILABLE`
   */
  read(): Promise<StoredRing | undefined>
  /** The ring with these keys, to be written. What need not be there any more of a key is not in it. */
  draft(keys: readonly OpenKey[], origin?: RingOrigin): Promise<RingDraft>
  /** @returns false if there is a ring already */
  create(draft: RingDraft): Promise<boolean>
  /** @returns false if it has been changed since it was read */
  replace(expected: StoredRing, draft: RingDraft): Promise<boolean>
  /** Writes into the ring which mark in the revocation log it belongs to. @returns as `replace` */
  mark(expected: StoredRing, log: string): Promise<boolean>
  /** The keys that sign, although they may be sealed under a secret that is not known here. */
  signing(): Promise<readonly string[]>
  /** A ring as it stands in the store, for another one: all that is in it is sealed under the newest secret. */
  toText(ring: StoredRing): Promise<string>
  /**
   * The keys of a ring that comes from another store. Nothing is written.
   *
   * @throws {GatehouseError} `ERR_SECRET_MISMATCH` if none of the secrets opens them; `ERR_STORE_CORRUPT` if it is no ring
   */
  fromText(text: string): Promise<readonly OpenKey[]>
}

/** A ring that is to be written. */
export interface RingDraft {
  readonly id: string
  readonly record: KeyRingRecord
}

const RING = 'ring'

const RING_FIELDS: Fields = {
  id: stringRule,
  keys: listOf(
    objectOf({
      kid: stringRule,
      alg: oneOf(...ALGORITHMS),
      state: oneOf(...KEY_STATES),
      createdAt: finiteNumberRule,
      since: finiteNumberRule,
      sealed: optional(stringRule),
    }),
  ),
  log: optional(stringRule),
  replaced: optional(objectOf({ lost: oneOf('keys', 'log', 'both'), at: finiteNumberRule })),
}

export function createKeyRingRecords(store: Store, sealing: KeyEncryption): KeyRingRecords {
  const rings = createCollection<KeyRingRecord>(store, {
    name: 'signing-keys',
    version: 2,
    upgrade,
    fields: RING_FIELDS,
  })

  /** What was opened last, by what was sealed: most keys stay as they are from change to change. */
  let known = new Map<string, OpenedKey | undefined>()

  async function openAll(keys: readonly KeyRecord[], where = 'in the store') {
    const texts = keys.flatMap(({ sealed }) => sealed ?? [])
    const opened = texts.map(async (text) => [text, known.get(text) ?? (await sealing.open(text))] as const)
    known = new Map(await Promise.all(opened))
    return keys.map((key) => open(key, where))
  }

  function open({ sealed, ...key }: KeyRecord, where: string): { key: OpenKey; isOutdated: boolean } {
    const part = partOf(key)
    if (part === undefined) return { key, isOutdated: false }
    const found = known.get(sealed ?? '')
    const jwk = found?.privateKey as SigningJwk | undefined
    if (jwk?.kid !== key.kid || jwk.alg !== key.alg) throw wrongSecret(where)
    if (part === 'private' && jwk.d === undefined) throw notOurs()
    const isOutdated = found?.isOutdated === true
    return { key: { ...key, jwk, sealed: isOutdated ? undefined : sealed }, isOutdated }
  }

  async function seal({ jwk, sealed, ...key }: OpenKey): Promise<KeyRecord> {
    const part = partOf(key)
    if (part === undefined || jwk === undefined) return key
    if (part === 'private' || jwk.d === undefined)
      return { ...key, sealed: sealed ?? (await sealing.seal(jwk)) }
    return { ...key, sealed: await sealing.seal(toPublicJwk(jwk)) }
  }

  async function draftOf(keys: readonly OpenKey[], { log, replaced }: RingOrigin = {}): Promise<RingDraft> {
    const id = randomUUID()
    const sealed = await Promise.all(keys.map(seal))
    return { id, record: { id, keys: sealed, ...(log && { log }), ...(replaced && { replaced }) } }
  }

  return {
    async read() {
      const stored = await rings.read(RING)
      if (!stored) return undefined
      const { id, keys, log, replaced } = stored.record
      const opened = await openAll(keys)
      return {
        keys: opened.map(({ key }) => key),
        id,
        log,
        replaced,
        isOutdated: opened.some((one) => one.isOutdated),
        stored,
      }
    },
    draft: draftOf,
    create: ({ record }) => rings.create(RING, record),
    replace: ({ stored }, { record }) => rings.replace(RING, stored, record),
    mark: ({ stored }, log) => rings.replace(RING, stored, { ...stored.record, log }),
    async signing() {
      const keys = (await rings.get(RING))?.keys ?? []
      return inState(keys, 'current').map(({ kid }) => kid)
    },
    async toText({ keys, id }) {
      const { record } = await draftOf(keys)
      // The same ring is the same text, unless it is sealed anew.
      return rings.toText({ ...record, id })
    },
    async fromText(text) {
      const { keys } = rings.fromText(RING, text)
      const problem = findKeyRingProblem(keys)
      if (problem !== undefined) throw new GatehouseError('ERR_STORE_CORRUPT', `the signing keys: ${problem}`)
      // By a clock that was ahead they would not rotate before it is that late here.
      const notAhead = (time: number) => Math.min(time, Date.now() / 1000)
      const known = keys.map(({ kid, alg, state, createdAt, since, sealed }) => ({
        kid,
        alg,
        state,
        createdAt: notAhead(createdAt),
        since: notAhead(since),
        ...(sealed !== undefined && { sealed }),
      }))
      return (await openAll(known, 'that are to be imported')).map(({ key }) => key)
    },
  }
}

/** Makes new keys, each to be the next of its algorithm. */
export function makeKeys(algorithms: readonly SigningAlgorithm[] = ALGORITHMS): Promise<OpenKey[]> {
  return Promise.all(
    algorithms.map(async (alg) => {
      const jwk = await generateSigningKey(alg)
      return { kid: jwk.kid, alg, state: 'next', createdAt: 0, since: 0, jwk }
    }),
  )
}

/** Version 1 had keys that sign, and no others. */
function upgrade(record: Record<string, unknown>): KeyRingRecord {
  const { keys } = record as { keys: readonly Omit<KeyRecord, 'since'>[] }
  return { id: 'version 1', keys: keys.map((key) => ({ ...key, since: key.createdAt })) }
}

/** @param where the keys are */
function wrongSecret(where: string): GatehouseError {
  return new GatehouseError(
    'ERR_SECRET_MISMATCH',
    `the signing keys ${where} were encrypted under another \`secret\`; start with the one that was used ` +
      'before (as a later entry of the list, if it has been replaced). Nothing was changed',
  )
}

function notOurs(): GatehouseError {
  return new GatehouseError(
    'ERR_STORE_CORRUPT',
    'what the store holds under "signing-keys:ring" is not what was put there',
  )
}

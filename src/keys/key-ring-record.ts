import type { JWK } from 'jose'
import { randomUUID } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import type { WithOutbox } from '../audit/recording.ts'
import { asRead } from '../commit/changeable.ts'
import { createCollection, type Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import {
  epochSecondsRule,
  type Fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  stringRule,
  textRule,
} from '../validation/rules.ts'
import {
  ALGORITHMS,
  generateSigningKey,
  toPublicJwk,
  type SigningAlgorithm,
  type SigningJwk,
} from './generate-key.ts'
import { KEY_STATES, partOf, type RingKey } from './rotation-policy.ts'
import { wrongSecret, type Encryption, type Unsealed } from './encryption.ts'

/** A key with its decrypted material. A retired or revoked key has no material. */
export interface OpenKey extends RingKey {
  /** The private key, or the public key if the private key is no longer needed. */
  readonly jwk?: SigningJwk | undefined
  readonly sealed?: string | undefined
}

export interface StoredRing {
  readonly keys: readonly OpenKey[]
  /** A random version; each change of the keys writes a new version. */
  readonly id: string
  /** Whether a key is encrypted under a replaced secret. */
  readonly isOutdated: boolean
  readonly stored: Stored<KeyRingRecord>
  /** The id of the mark in the revocation log (`LogMarks`); undefined until the mark is added. */
  readonly log?: string | undefined
  /** Why and when this ring replaced an earlier ring; undefined for the first ring. */
  readonly replaced?: RingLoss | undefined
}

export type LostPart = 'keys' | 'log' | 'both'

export interface RingLoss {
  readonly lost: LostPart
  /** Epoch seconds. */
  readonly at: number
}

interface KeyRecord extends RingKey {
  /** A compact JWE. Public keys are encrypted too, so that an attacker who can write to the store cannot add a key. */
  readonly sealed?: string | undefined
}

export interface KeyRingRecord extends WithOutbox {
  readonly id: string
  readonly keys: readonly KeyRecord[]
  readonly log?: string | undefined
  readonly replaced?: RingLoss | undefined
}

const RING = 'ring'

const RING_FIELDS: Fields = {
  id: stringRule,
  keys: listOf(
    objectOf({
      kid: textRule,
      alg: oneOf(...ALGORITHMS),
      state: oneOf(...KEY_STATES),
      createdAt: epochSecondsRule,
      since: epochSecondsRule,
      sealed: optional(stringRule),
    }),
  ),
  log: optional(stringRule),
  replaced: optional(objectOf({ lost: oneOf('keys', 'log', 'both'), at: epochSecondsRule })),
}

/** Reads and writes the key ring. All keys are in one record, so that each change is atomic. */
export function createKeyRingRecords(store: Store, encryption: Encryption<JWK>) {
  const definition = { name: 'signing-keys', version: 1, fields: RING_FIELDS }
  const rings = createCollection<KeyRingRecord>(store, definition)
  /** A cache of decrypted keys, by their encrypted text, because a change of the ring leaves most keys unchanged. */
  let opened = new Map<string, Unsealed<JWK> | undefined>()

  async function openAll(keys: readonly KeyRecord[], where = 'in the store') {
    const texts = keys.flatMap(({ sealed }) => sealed ?? [])
    const unseal = async (text: string) =>
      [text, opened.get(text) ?? (await encryption.unseal(text))] as const
    const found = (opened = new Map(await Promise.all(texts.map(unseal))))
    return keys.map(({ sealed, ...key }) => open(key, sealed, found.get(sealed ?? ''), where))
  }

  async function draft(
    keys: readonly OpenKey[],
    { log, replaced }: Pick<StoredRing, 'log' | 'replaced'> = {},
  ): Promise<KeyRingRecord> {
    const sealed = await Promise.all(keys.map((key) => seal(encryption, key)))
    return { id: randomUUID(), keys: sealed, log, replaced }
  }

  return {
    key: rings.key(RING),
    /** @throws {GatehouseError} `ERR_SECRET_MISMATCH` if no secret decrypts the keys */
    async read(): Promise<StoredRing | undefined> {
      const stored = await rings.read(RING)
      if (!stored) return undefined
      const { id, keys, log, replaced } = stored.record
      const all = await openAll(keys)
      const isOutdated = all.some((each) => each.isOutdated)
      return { keys: all.map(({ key }) => key), id, log, replaced, isOutdated, stored }
    },
    /** Omits key material that is no longer needed. */
    draft,
    /** @returns false if a ring exists */
    create: (record: KeyRingRecord) => rings.create(RING, record),
    /** Changed only as long as it is the ring that was read. */
    asRead: (ring: StoredRing | undefined) => asRead(rings, RING, ring?.stored),
    /** @returns false if the ring was changed after it was read */
    replace: ({ stored }: StoredRing, record: KeyRingRecord) => rings.replace(RING, stored, record),
    mark: ({ stored }: StoredRing, log: string) => rings.replace(RING, stored, { ...stored.record, log }),
    /** Works even if no secret of this process decrypts the keys. */
    async currentKids(): Promise<readonly string[]> {
      const keys = (await rings.get(RING))?.keys ?? []
      return keys.filter(({ state }) => state === 'current').map(({ kid }) => kid)
    },
    /** For another store. An unchanged ring always has the same text, unless it is encrypted again. */
    toText: async ({ keys, id }: StoredRing) => rings.toText({ ...(await draft(keys)), id }),
    /** @throws {GatehouseError} `ERR_SECRET_MISMATCH`; `ERR_STORE_CORRUPT` if the text is not a ring */
    async fromText(text: string): Promise<readonly OpenKey[]> {
      const { keys } = rings.fromText(RING, text)
      const kids = new Set(keys.map(({ kid }) => kid))
      const isWhole = keys.every((key) => partOf(key) === undefined || key.sealed !== undefined)
      if (keys.length === 0 || kids.size < keys.length || !isWhole) throw corruptRing()
      // The exporting clocks may have been ahead: a time in the future would make the keys rotate too late here.
      const now = Date.now() / 1000
      const known = keys.map(({ kid, alg, state, createdAt, since, sealed }) => {
        return { kid, alg, state, createdAt: Math.min(createdAt, now), since: Math.min(since, now), sealed }
      })
      return (await openAll(known, 'that are to be imported')).map(({ key }) => key)
    },
  }
}

export type KeyRingRecords = ReturnType<typeof createKeyRingRecords>

function open(
  key: RingKey,
  sealed: string | undefined,
  found: Unsealed<JWK> | undefined,
  where: string,
): { key: OpenKey; isOutdated: boolean } {
  const part = partOf(key)
  if (part === undefined) return { key, isOutdated: false }
  const jwk = found?.value as SigningJwk | undefined
  if (jwk?.kid !== key.kid || jwk.alg !== key.alg) throw wrongSecret(`the signing keys ${where} were`)
  if (part === 'private' && jwk.d === undefined) throw corruptRing()
  const isOutdated = found?.isOutdated === true
  return { key: { ...key, jwk, sealed: isOutdated ? undefined : sealed }, isOutdated }
}

async function seal(encryption: Encryption<JWK>, { jwk, sealed, ...key }: OpenKey): Promise<KeyRecord> {
  const part = partOf(key)
  if (part === undefined || jwk === undefined) return key
  if (part === 'private' || jwk.d === undefined) {
    return { ...key, sealed: sealed ?? (await encryption.seal(jwk)) }
  }
  return { ...key, sealed: await encryption.seal(toPublicJwk(jwk)) }
}

export function makeKeys(algorithms: readonly SigningAlgorithm[] = ALGORITHMS): Promise<OpenKey[]> {
  return Promise.all(
    algorithms.map(async (alg) => {
      const jwk = await generateSigningKey(alg)
      return { kid: jwk.kid, alg, state: 'next', createdAt: 0, since: 0, jwk }
    }),
  )
}

function corruptRing(): GatehouseError {
  return new GatehouseError('ERR_STORE_CORRUPT', 'the record "signing-keys:ring" is not a key ring')
}

import type { JWK } from 'jose'
import { createHmac, randomBytes } from 'node:crypto'
import type { ErasedPeople } from '../audit/erase-entry.ts'
import { GatehouseError } from '../errors.ts'
import type { Person } from '../host/subject.ts'
import { createEncryption, wrongSecret } from '../keys/encryption.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { metCorruptMember } from '../store/met-corrupt-records.ts'
import { pagesOf } from '../store/pages-of-index.ts'
import { timedMember, timeOfMember } from '../store/time-index.ts'
import { listOf, objectOf, textRule } from '../validation/rules.ts'

/** The record is stored as `erasures:keys`. */
const KEYS = 'keys'

/** Members are `<milliseconds>:<id of the key>:<hash>`. */
const PEOPLE = 'erasures:people'
const MEMBER = /^\d{13}:([\w-]{8}):([\w-]{43})$/

/** A key for hashing ids, encrypted under `secret`. */
export interface SealedKey {
  readonly id: string
  readonly sealed: string
}

interface OpenKey {
  readonly id: string
  readonly bytes: Buffer
}

/** The erasure of one person, as it is stored. */
export interface Erasure {
  /** The id of the key that made the hash. */
  readonly key: string
  /** Of the person's ids. */
  readonly hash: string
  /** Records of the person until this time are erased, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Stores which people were erased, as hashes of their ids under a random key, which is stored encrypted under `secret`.
 * If the host replaces `secret`, only the key is encrypted again: the hashes stay the same.
 */
export function createErasures({ store, secrets }: { store: Store; secrets: readonly string[] }) {
  const encryption = createEncryption<JWK>(secrets, 'erasures')
  const records = createCollection<{ keys: readonly SealedKey[] }>(store, {
    name: 'erasures',
    version: 1,
    fields: { keys: listOf(objectOf({ id: textRule, sealed: textRule })) },
  })

  /** A key that was encrypted under a replaced secret is encrypted again. */
  async function open(sealed: readonly SealedKey[]) {
    const keys: (OpenKey & SealedKey)[] = []
    for (const { id, sealed: text } of sealed) {
      const found = await encryption.unseal(text)
      if (!found) throw wrongSecret('the key of the erasures was')
      const bytes = Buffer.from(String(found.value.k), 'base64url')
      keys.push({ id, bytes, sealed: found.isOutdated ? await encryption.seal(found.value) : text })
    }
    return keys
  }

  /** The keys in the store, newest first. @throws {GatehouseError} `ERR_SECRET_MISMATCH`, `ERR_STORE_UNAVAILABLE` */
  async function readKeys(): Promise<readonly OpenKey[]> {
    const record = await records.get(KEYS)
    if (!record) return []
    const keys = await open(record.keys)
    const isOutdated = keys.some(({ id, sealed }) =>
      record.keys.some((key) => key.id === id && key.sealed !== sealed),
    )
    if (isOutdated) await addKeys(keys)
    return keys
  }

  async function addKeys(added: readonly SealedKey[]): Promise<void> {
    const keys = added.map(({ id, sealed }) => ({ id, sealed }))
    const find = (id: string) => keys.find((key) => key.id === id)
    await records.put(KEYS, ({ keys: own } = { keys: [] }) => ({
      keys: [
        ...own.map((key) => find(key.id) ?? key),
        ...keys.filter(({ id }) => !own.some((key) => key.id === id)),
      ],
    }))
  }

  async function requireKey(): Promise<OpenKey> {
    const [known] = await readKeys()
    if (known) return known
    const sealed = await encryption.seal({ kty: 'oct', k: randomBytes(32).toString('base64url') })
    // If two processes make the first key at the same time, only one of these keys is stored.
    await records.create(KEYS, { keys: [{ id: randomBytes(6).toString('base64url'), sealed }] })
    const [key] = await readKeys()
    if (!key) throw new GatehouseError('ERR_STORE_CORRUPT', 'the record "erasures:keys" has no key')
    return key
  }

  async function* pages(): AsyncGenerator<readonly Erasure[]> {
    for await (const page of pagesOf(store, PEOPLE)) {
      if (!page.every((member) => MEMBER.test(member))) metCorruptMember(store, PEOPLE)
      yield page.flatMap((member) => {
        const [, key = '', hash = ''] = MEMBER.exec(member) ?? []
        return hash === '' ? [] : { key, hash, at: timeOfMember(member) }
      })
    }
  }

  const put = ({ key, hash, at }: Erasure) => store.add(PEOPLE, timedMember(at, `${key}:${hash}`))

  return {
    async add(person: Person, at: number): Promise<Erasure> {
      const key = await requireKey()
      const erasure = { key: key.id, hash: hashOf(key, person), at }
      await put(erasure)
      return erasure
    },

    /** Encrypts the keys again if they are encrypted under a replaced secret. */
    reseal: async (): Promise<void> => void (await readKeys()),

    /** The people who were erased; undefined if no person was erased. */
    async people(): Promise<ErasedPeople | undefined> {
      const times = new Map<string, number>()
      for await (const page of pages()) for (const { hash, at } of page) times.set(hash, at)
      if (times.size === 0) return undefined
      const keys = await readKeys()
      const known = new Map<string, number>()
      const erasedAt = (person: Person) => {
        const text = textOf(person)
        const at = known.get(text) ?? Math.max(0, ...keys.map((key) => times.get(hashOf(key, person)) ?? 0))
        known.set(text, at)
        return at
      }
      return {
        covers: ({ accountId, userId }, at) =>
          at <= erasedAt({ accountId }) || (userId !== undefined && at <= erasedAt({ accountId, userId })),
      }
    },

    sealedKeys: async (): Promise<readonly SealedKey[]> => (await records.get(KEYS))?.keys ?? [],
    pages,
    /** Decrypts a key of another store, or throws `ERR_SECRET_MISMATCH`. The returned function adds the key. */
    async unseal(key: SealedKey): Promise<() => Promise<void>> {
      const keys = await open([key])
      return () => addKeys(keys)
    },
    put,
  }
}

export type Erasures = ReturnType<typeof createErasures>

function textOf({ accountId, userId }: Person): string {
  return JSON.stringify(userId === undefined ? [accountId] : [accountId, userId])
}

function hashOf({ bytes }: OpenKey, person: Person): string {
  return createHmac('sha256', bytes).update(textOf(person)).digest('base64url')
}

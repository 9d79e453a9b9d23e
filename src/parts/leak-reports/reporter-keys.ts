import { createPublicKey, type KeyObject } from 'node:crypto'
import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'
import { isObject, isText } from '../../validation/predicates.ts'

/** A public key with which a scanner signs its reports. */
export interface ReporterKey {
  /** The `key_identifier` that the header `Github-Public-Key-Identifier` names. */
  readonly id: string
  /** The public key for ECDSA on P-256, as PEM. */
  readonly key: string
}

export type ReporterKeys = ReturnType<typeof fetchedKeys>

const FETCH_TIMEOUT_MS = 5_000
const MAX_KEYS_BYTES = 1_000_000
/** Milliseconds after which the keys are fetched again. A key that the scanner has withdrawn is then rejected. */
const REFRESH_MS = 3_600_000
/** For this many milliseconds after a fetch, neither an unknown id nor a failure causes another fetch. */
const COOLDOWN_MS = 60_000

export function fixedKeys(keys: readonly ReporterKey[]): ReporterKeys {
  const byId = new Map(keys.map(({ id, key }) => [id, publicKeyOf(key)]))
  return { find: async (id) => byId.get(id) }
}

/** The keys of a scanner, fetched again after an hour, in the form of GitHub's `/meta/public_keys/secret_scanning`. */
export function fetchedKeys(url: string, logger: Logger) {
  let known: ReadonlyMap<string, KeyObject> | undefined
  let etag: string | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  async function load(): Promise<void> {
    triedAt = performance.now()
    const response = await fetch(url, {
      headers: { Accept: 'application/json', ...(etag !== undefined && { 'If-None-Match': etag }) },
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    })
    if (response.status !== 304) {
      if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`)
      known = keysOf(JSON.parse(await textOf(response)))
      etag = response.headers.get('ETag') ?? undefined
    }
    fetchedAt = triedAt
  }

  /** After a failure the known keys stay in use. */
  function refresh(): Promise<void> {
    fetching ??= load()
      .catch((error: unknown) => {
        logger.warn(
          { err: error, url, haveKeys: known !== undefined },
          'the keys of leak reports could not be fetched',
        )
      })
      .finally(() => (fetching = undefined))
    return fetching
  }

  return {
    /** Undefined if the scanner has no such key; `ERR_NOT_READY` if none could be fetched so far. */
    async find(id: string): Promise<KeyObject | undefined> {
      const now = performance.now()
      const isDue = !known?.has(id) || now - fetchedAt >= REFRESH_MS
      if (fetching || (isDue && now - triedAt >= COOLDOWN_MS)) await refresh()
      if (!known) throw new GatehouseError('ERR_NOT_READY', 'the keys of leak reports could not be fetched')
      return known.get(id)
    },
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length
    if (size > MAX_KEYS_BYTES) throw new Error('the answer is too large')
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks).toString()
}

function keysOf(document: unknown): ReadonlyMap<string, KeyObject> {
  const list = isObject(document) ? document['public_keys'] : undefined
  if (!Array.isArray(list)) throw new TypeError('the answer has no list public_keys')
  const keys = list.flatMap((each: unknown) => {
    if (!isObject(each) || !isText(each['key_identifier']) || !isText(each['key'])) return []
    const { key_identifier: id, key } = each
    return isPublicKey(key) ? [[id, publicKeyOf(key)] as const] : []
  })
  if (keys.length === 0) throw new TypeError('the answer has no key for ECDSA on P-256')
  return new Map(keys)
}

export function isPublicKey(pem: unknown): boolean {
  try {
    publicKeyOf(String(pem))
    return true
  } catch {
    return false
  }
}

function publicKeyOf(pem: string): KeyObject {
  // Node would also make a public key from a private key.
  if (!pem.includes('BEGIN PUBLIC KEY')) throw new TypeError('the key is not a public key')
  const key = createPublicKey(pem)
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  throw new TypeError('the key is not a key for P-256')
}

import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

const RAW = { dsaEncoding: 'ieee-p1363' } as const

/** A key that `sign` and `verify` of `node:crypto` accept. */
export type RawSignatureKey =
  | (KeyObject & typeof RAW)
  | { readonly key: KeyObject; readonly dsaEncoding: 'ieee-p1363' }

/**
 * A key for ECDSA signatures in the form of a JWS (RFC 7518 3.4).
 *
 * Node reads the encoding of signatures from the key itself. If an object around the key had the encoding, as the
 * documentation of Node says, Node 24 would import the key again for each signature. Bun and Deno read the encoding only
 * from such an object.
 */
export function withRawSignatures(key: KeyObject): RawSignatureKey {
  return readsKeyItself() ? Object.assign(key, RAW) : { key, ...RAW }
}

let isReadFromKey: boolean | undefined

/** Whether this runtime reads the encoding from the key itself: one signature is made, once for each process. */
function readsKeyItself(): boolean {
  return (isReadFromKey ??= isRaw(
    Object.assign(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, RAW),
  ))
}

function isRaw(key: KeyObject): boolean {
  return sign('sha256', Buffer.alloc(0), key).length === 64
}

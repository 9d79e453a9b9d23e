import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

const RAW = { dsaEncoding: 'ieee-p1363' } as const
let isReadFromKey: boolean | undefined

/**
 * A key for ECDSA signatures in the form of a JWS (RFC 7518 3.4).
 *
 * Node reads the encoding of signatures from the key itself. If an object around the key had the encoding, as the
 * documentation of Node says, Node 24 would import the key again for each signature. Bun and Deno read the encoding
 * only from such an object. One signature, made once for each process, shows what this runtime reads.
 */
export function withRawSignatures(key: KeyObject) {
  if (isReadFromKey === undefined) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    isReadFromKey = sign('sha256', Buffer.alloc(0), Object.assign(privateKey, RAW)).length === 64
  }
  return isReadFromKey ? Object.assign(key, RAW) : { key, ...RAW }
}

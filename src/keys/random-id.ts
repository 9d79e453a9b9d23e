import { randomFillSync } from 'node:crypto'

const ID_BYTES = 32
/** A call of the generator costs as much time as making a hundred ids. */
const POOL_BYTES = 128 * ID_BYTES

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Makes an id that cannot be guessed: 32 random bytes in base64url. */
export function randomId(): string {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('base64url', used - ID_BYTES, used)
}

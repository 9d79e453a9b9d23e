import { compactDecrypt, CompactEncrypt } from 'jose'
import { deriveKey } from './derive-key.ts'

export interface Unsealed<T> {
  readonly value: T
  /** Whether the value is encrypted under a replaced secret, and therefore still needs that secret. */
  readonly isOutdated: boolean
}

/**
 * Encrypts values for the store (JWE, `dir` with A256GCM; RFC 7516) and decrypts them. The first secret, the
 * newest, encrypts; every secret decrypts. Each purpose has its own key.
 */
export function createEncryption<T extends object>(
  secrets: readonly string[],
  purpose: 'signing-keys' | 'erasures' | 'returns',
) {
  const keys = secrets.map((secret) => deriveKey(secret, purpose))
  const [newest] = keys
  if (!newest) throw new TypeError('at least one secret is needed')

  return {
    /** @returns a compact JWE, encrypted under the newest secret */
    seal(value: T): Promise<string> {
      const text = new TextEncoder().encode(JSON.stringify(value))
      return new CompactEncrypt(text).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(newest)
    },
    /** Decrypts a value. Returns undefined if no secret decrypts it. */
    async unseal(sealed: string): Promise<Unsealed<T> | undefined> {
      for (const key of keys) {
        try {
          const { plaintext } = await compactDecrypt(sealed, key, {
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
          })
          const value = JSON.parse(new TextDecoder().decode(plaintext)) as T
          return { value, isOutdated: key !== newest }
        } catch {
          // The value is encrypted under another secret, so the next secret is tried.
        }
      }
      return undefined
    },
  }
}

export type Encryption<T extends object> = ReturnType<typeof createEncryption<T>>

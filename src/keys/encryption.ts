import { compactDecrypt, CompactEncrypt } from 'jose'
import { deriveKey } from './derive-key.ts'

export interface Unsealed<T> {
  readonly value: T
  /** Whether the value is encrypted under a replaced secret, and therefore still needs that secret. */
  readonly isOutdated: boolean
}

/** Encrypts values for the store (JWE, RFC 7516). The first secret, the newest, encrypts; every secret decrypts. */
export function createEncryption<T extends object>(
  secrets: readonly string[],
  purpose: 'signing-keys' | 'erasures' | 'returns',
) {
  const keys = secrets.map((secret) => deriveKey(secret, purpose))
  const [newest] = keys
  if (!newest) throw new TypeError('at least one secret is needed')

  return {
    seal(value: T): Promise<string> {
      const text = new TextEncoder().encode(JSON.stringify(value))
      return new CompactEncrypt(text).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(newest)
    },
    /** Undefined if no secret decrypts it. */
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
          // The value may be encrypted under the next secret.
        }
      }
      return undefined
    },
  }
}

export type Encryption<T extends object> = ReturnType<typeof createEncryption<T>>

import { compactDecrypt, CompactEncrypt, type JWK } from 'jose'
import { deriveKey } from './derive-key.ts'

/** A decrypted private key. */
export interface UnsealedKey {
  readonly privateKey: JWK
  /** Whether the key is encrypted under a replaced secret, and therefore still needs that secret. */
  readonly isOutdated: boolean
}

/**
 * @param secrets the host's secrets, newest first. The newest secret encrypts; every secret decrypts
 * @param purpose what the encrypted keys are for
 */
export function createKeyEncryption(
  secrets: readonly string[],
  purpose: 'signing-keys' | 'erasures' = 'signing-keys',
) {
  const keys = secrets.map((secret) => deriveKey(secret, purpose))
  const [newest] = keys
  if (!newest) throw new TypeError('at least one secret is needed')

  return {
    /** @returns a compact JWE, encrypted under the newest secret */
    seal(privateKey: JWK): Promise<string> {
      const text = new TextEncoder().encode(JSON.stringify(privateKey))
      return new CompactEncrypt(text).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(newest)
    },
    /** Decrypts a private key. Returns undefined if no secret decrypts it. */
    async unseal(sealed: string): Promise<UnsealedKey | undefined> {
      for (const key of keys) {
        try {
          const { plaintext } = await compactDecrypt(sealed, key, {
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
          })
          const privateKey = JSON.parse(new TextDecoder().decode(plaintext)) as JWK
          return { privateKey, isOutdated: key !== newest }
        } catch {
          // The key is encrypted under another secret, so the next secret is tried.
        }
      }
      return undefined
    },
  }
}

/** Encrypts private keys for the store (JWE, `dir` with A256GCM; RFC 7516) and decrypts them. */
export type KeyEncryption = ReturnType<typeof createKeyEncryption>

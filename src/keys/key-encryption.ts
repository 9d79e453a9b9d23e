import { compactDecrypt, CompactEncrypt, type JWK } from 'jose'
import { deriveKey } from './derive-key.ts'

/** Encrypts private keys for the store (JWE, `dir` with A256GCM; RFC 7516), and opens them again. */
export interface KeyEncryption {
  /** @returns a compact JWE, under the newest secret */
  seal(privateKey: JWK): Promise<string>
  /** The private key, or undefined if none of the secrets opens it. */
  open(sealed: string): Promise<OpenedKey | undefined>
}

/** A private key, opened. */
export interface OpenedKey {
  readonly privateKey: JWK
  /** Whether it is sealed under a secret that has been replaced, and cannot be opened without that any more. */
  readonly isOutdated: boolean
}

/** @param secrets newest first; all of them open, the newest seals */
export function createKeyEncryption(secrets: readonly string[]): KeyEncryption {
  const keys = secrets.map((secret) => deriveKey(secret, 'signing-keys'))
  const [newest] = keys
  if (!newest) throw new TypeError('at least one secret is needed')

  return {
    seal(privateKey) {
      const text = new TextEncoder().encode(JSON.stringify(privateKey))
      return new CompactEncrypt(text).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(newest)
    },
    async open(sealed) {
      for (const key of keys) {
        try {
          const { plaintext } = await compactDecrypt(sealed, key, {
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
          })
          const privateKey = JSON.parse(new TextDecoder().decode(plaintext)) as JWK
          return { privateKey, isOutdated: key !== newest }
        } catch {
          // Sealed under another secret: the next one may open it.
        }
      }
      return undefined
    },
  }
}

import { compactDecrypt, CompactEncrypt } from 'jose'
import { GatehouseError } from '../errors.ts'
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

/** For a value that no secret decrypts. @param what such as `the signing keys were` */
export function wrongSecret(what: string): GatehouseError {
  const remedy =
    'start with the `secret` that was used before (as a later entry of the list, if you have replaced it)'
  const message = `${what} encrypted under another \`secret\`; ${remedy}. Nothing was changed`
  return new GatehouseError('ERR_SECRET_MISMATCH', message)
}

export type Encryption<T extends object> = ReturnType<typeof createEncryption<T>>

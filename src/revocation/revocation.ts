import { isCount, isEpochSeconds, isObject, isText } from '../validation/predicates.ts'

/**
 * That tokens are dead although they have not expired. None has a time of "issued before": `iat` is whole seconds
 * and clocks differ. What is to be told apart by when it was issued is told apart by counters that stand in the
 * token: `access_epoch` of its client, `catalog_epoch` of the products.
 */
export type Revocation = {
  /** Epoch seconds at which the last token that it covers has expired. */
  readonly until: number
} & (
  | {
      /** One token, by its `jti`; all of a grant; or all that were signed with a key, by its `kid`. */
      readonly of: 'token' | 'grant' | 'key'
      readonly id: string
    }
  | {
      /** All tokens of a client whose `access_epoch` is below a number; without the number all, for good. */
      readonly of: 'client'
      readonly id: string
      readonly below?: number | undefined
      /** Only those of them that carry one of these. */
      readonly scopes?: readonly string[] | undefined
    }
  | {
      /** All tokens that carry a scope and whose `catalog_epoch` is below a number. */
      readonly of: 'operation'
      /** The scope. */
      readonly id: string
      readonly below: number
    }
)

/** What of a verified access token decides whether it was revoked; the gateway's principal is one. */
export interface RevocableToken {
  /** `jti`. */
  readonly tokenId: string
  readonly grantId?: string | undefined
  readonly clientId: string
  readonly scopes: readonly string[]
  /** `kid` of the key that signed it. */
  readonly keyId: string
  /** Of them, `access_epoch` and `catalog_epoch` count. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A revocation as text, for the store and for messages. The same one is always the same text. */
export function writeRevocation(revocation: Revocation): string {
  return JSON.stringify(asRevocation(revocation) ?? null)
}

/** The revocation that a text holds; undefined if it holds none, as what others put there may. */
export function readRevocation(text: string): Revocation | undefined {
  try {
    return asRevocation(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** What of a value is a revocation, without anything else; undefined if it is none that is known here. */
export function asRevocation(value: unknown): Revocation | undefined {
  if (!isObject(value)) return undefined
  const { of, id, until, below, scopes } = value
  if (!isText(id) || !isEpochSeconds(until)) return undefined
  if (of === 'token' || of === 'grant' || of === 'key') return { of, id, until }
  if (below !== undefined && !isCount(below)) return undefined
  if (of === 'operation') return below === undefined ? undefined : { of, id, below, until }
  if (of !== 'client' || (scopes !== undefined && !areTexts(scopes))) return undefined
  return { of, id, ...(below !== undefined && { below }), ...(scopes !== undefined && { scopes }), until }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

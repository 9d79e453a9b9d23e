import { parseJson } from '../validation/parse-json.ts'
import { isCount, isEpochSeconds, isObject, isText } from '../validation/predicates.ts'

/**
 * Makes tokens invalid before they expire. Two counters in a token show whether it is older than a revocation:
 * `access_epoch` of its client, and `catalog_epoch` of the products. `iat` is in whole seconds, and clocks differ.
 */
export type Revocation = {
  /** Epoch seconds at which all tokens that this revocation covers have expired. */
  readonly until: number
  readonly id: string
} & (
  | { readonly of: 'key' }
  | {
      readonly of: 'token'
      /** The client that revoked its own token; undefined if the host revoked the token. */
      readonly clientId?: string | undefined
      /** The `access_epoch` of a token that its client revoked. */
      readonly epoch?: number | undefined
      /** The grant of a token that its client revoked; undefined for direct access. */
      readonly grantId?: string | undefined
    }
  | {
      readonly of: 'grant'
      /** Only tokens with one of these scopes that expire until then. The grant itself is not revoked. */
      readonly scopes?: readonly string[] | undefined
    }
  | {
      /**
       * All tokens of a client whose `access_epoch` is below `below`; without it, permanently. The id is a client id,
       * or an origin such as `https://claude.ai`, for all clients with metadata documents there.
       */
      readonly of: 'client'
      readonly below?: number | undefined
      /** If set, only the tokens that carry one of these scopes are revoked. */
      readonly scopes?: readonly string[] | undefined
    }
  | {
      /** All tokens that carry a scope and whose `catalog_epoch` is below `below`. */
      readonly of: 'operation'
      readonly below: number
    }
)

export interface RevocableToken {
  /** `jti`. */
  readonly tokenId: string
  readonly grantId?: string | undefined
  readonly clientId: string
  readonly scopes: readonly string[]
  /** `kid` of the key that signed the token. */
  readonly keyId: string
  /** `exp`, in epoch seconds. */
  readonly expiresAt: number
  /** The claims, of which only `access_epoch` and `catalog_epoch` are used. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A revocation as text, for the store and for messages. Equal revocations have equal texts. */
export function writeRevocation(revocation: Revocation): string {
  return JSON.stringify(asRevocation(revocation) ?? null)
}

export function readRevocation(text: string): Revocation | undefined {
  return asRevocation(parseJson(text))
}

/** A revocation of a known kind, without unknown fields; undefined for any other value. */
export function asRevocation(value: unknown): Revocation | undefined {
  if (!isObject(value)) return undefined
  const { of, id, until, below, scopes, clientId, epoch, grantId } = value
  if (!isText(id) || !isEpochSeconds(until)) return undefined
  if (of === 'key') return { of, id, until }
  if (of === 'token') {
    const own = isText(clientId) && isCount(epoch) && { clientId, epoch, ...(isText(grantId) && { grantId }) }
    return { of, id, ...own, until }
  }
  if (below !== undefined && !isCount(below)) return undefined
  if (of === 'operation') return below === undefined ? undefined : { of, id, below, until }
  if (scopes !== undefined && !areTexts(scopes)) return undefined
  if (of === 'grant') return { of, id, ...(scopes !== undefined && { scopes }), until }
  if (of !== 'client') return undefined
  return { of, id, ...(below !== undefined && { below }), ...(scopes !== undefined && { scopes }), until }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

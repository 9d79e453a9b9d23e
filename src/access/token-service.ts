import { GatehouseError } from '../errors.ts'
import { EXPIRED, type VerifyToken } from '../gateway/verify-token.ts'
import type { ChangeOptions } from '../clients/client-service-types.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { checkChange } from '../clients/client-repository.ts'
import { checkInput } from '../validation/check-input.ts'
import { anyValue, textRule } from '../validation/rules.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import type { RevokedAccess, RevokeAccount } from './revoke-account.ts'

/** Whose tokens are meant. */
export type TokenOwner = { readonly clientId: string } | { readonly accountId: string }

/**
 * Takes access tokens back before they expire: in this process when the promise settles, in the others, and at
 * gateways elsewhere, within moments. Every method may be called again; if one rejects with
 * `ERR_STORE_UNAVAILABLE`, call it again.
 */
export interface Tokens {
  /**
   * Revokes one access token. One that has expired is dead already, and one that was revoked stays so.
   *
   * @param jwt the access token; not a refresh token, whose end is that of its grant
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if it is no access token of this service,
   *   `ERR_STORE_UNAVAILABLE`
   */
  revoke(jwt: string, options?: ChangeOptions): Promise<void>
  /**
   * For an incident: revokes all access tokens that an API key or application (`clientId`) has got until now; or
   * all of an account (`accountId`), which are those of its API keys and of its applications, and those that
   * applications have for it, whose grants end. What is issued from now on is good, so where a client secret leaked,
   * replace it first (`rotateSecret` with `overlapSeconds: 0`).
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND` if there never was such a client, `ERR_INVALID_ARGUMENT`,
   *   `ERR_STORE_UNAVAILABLE`; `ERR_HOST_CALLBACK` for an account where the host keeps the clients and `registry` has
   *   no `list`. `ERR_STORE_CORRUPT` at the end, if a record in the store cannot be read: the tokens of that client or
   *   grant have been revoked by its id, and everything else, so nothing is left to be done but to look at the store
   */
  revokeAll(owner: TokenOwner, options?: ChangeOptions): Promise<RevokedAccess>
}

/** @param parts.verify checks that a token is one of ours */
export function createTokens({
  verify,
  revocations,
  clientTokens,
  revokeAccount,
}: {
  readonly verify: VerifyToken
  readonly revocations: Pick<Revocations, 'revokeAs'>
  readonly clientTokens: Pick<ClientTokens, 'revokeAll'>
  readonly revokeAccount: RevokeAccount
}): Tokens {
  return {
    async revoke(jwt, options = {}) {
      checkChange('tokens.revoke', options)
      const outcome = typeof jwt === 'string' ? await verify(jwt) : { problem: 'a token is a text' }
      if ('problem' in outcome) {
        // Found to be ours before its end is looked at.
        if (outcome.problem === EXPIRED.problem) return
        throw new GatehouseError(
          'ERR_INVALID_ARGUMENT',
          `this is no access token that could be revoked: ${outcome.problem}`,
        )
      }
      const { tokenId: id, expiresAt } = outcome
      await revocations.revokeAs(options.actor, { of: 'token', id, until: expiresAt })
    },

    async revokeAll(owner, options = {}) {
      checkChange('tokens.revokeAll', options)
      checkInput('no tokens can be revoked', owner, { clientId: anyValue, accountId: anyValue })
      const ids = Object(owner) as { clientId?: unknown; accountId?: unknown }
      if ((ids.clientId === undefined) === (ids.accountId === undefined)) {
        throw new GatehouseError('ERR_INVALID_ARGUMENT', 'say either { clientId } or { accountId }')
      }
      if (ids.clientId !== undefined) {
        await clientTokens.revokeAll(ids.clientId as string, options)
        return { clients: 1, grants: 0 }
      }
      checkInput('no tokens can be revoked', { accountId: ids.accountId }, { accountId: textRule })
      return revokeAccount.revokeAll(ids.accountId as string, options)
    },
  }
}

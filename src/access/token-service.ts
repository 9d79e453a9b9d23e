import { GatehouseError } from '../errors.ts'
import { describeInvalidToken } from '../gateway/token-problem.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import { type ChangeOptions, changeOptionsOf, checkChange } from '../host/change-options.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { checkInput, anyValue, textRule } from '../validation/rules.ts'
import type { Commits } from '../commit/commit.ts'
import type { RevokedAccess, RevokeAccount } from './revoke-account.ts'

/** The owner of tokens: a client, or an account. */
export type TokenOwner =
  | { readonly clientId: string }
  | {
      readonly accountId: string
      /** Selects only the clients and grants of this user. An explicit `undefined` is rejected. */
      readonly userId?: string
    }

/**
 * Revokes access tokens before they expire. This process rejects the tokens as soon as a method resolves. Other
 * processes and remote gateways reject them within moments. Calling a method again is harmless. If a method rejects
 * with `ERR_STORE_UNAVAILABLE`, call it again until it resolves. Until then, the tokens may stay valid in every
 * process. One exception: after `revoke`, this process rejects the token even if the store is unavailable.
 */
export interface Tokens {
  /**
   * Revokes one access token. Has no effect on a token that is revoked, or expired by the clock of the store.
   *
   * @param jwt the access token. A refresh token is not accepted; revoke its grant instead
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `jwt` is not an access token of this service,
   *   `ERR_STORE_UNAVAILABLE`
   */
  revoke(jwt: string, options?: ChangeOptions): Promise<void>
  /**
   * Revokes all tokens of an owner, for example after an incident. With `clientId`, revokes all issued access
   * tokens of an API key or application. With `accountId`, revokes all tokens of the account's API keys,
   * applications and grants, and the grants themselves. With `accountId` and `userId`, revokes only the tokens
   * of this user's clients and grants. Tokens that are issued later are valid. If a client secret leaked, this
   * method is not enough: call `reportCompromised` of the API key or application instead.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND` for a client that never existed; `ERR_INVALID_ARGUMENT`;
   *   `ERR_STORE_UNAVAILABLE`. `ERR_STORE_CORRUPT` if there are corrupt records. All tokens are revoked
   *   before this error is thrown, but an operator should examine the corrupt records in the store
   */
  revokeAll(owner: TokenOwner, options?: ChangeOptions): Promise<RevokedAccess>
}

/** @param parts.verify verifies access tokens of this service */
export function createTokens(parts: {
  readonly verify: VerifyToken
  readonly commits: Pick<Commits, 'revoke'>
  readonly clientTokens: Pick<ClientTokens, 'revokeAll'>
  readonly revokeAccount: RevokeAccount
}): Tokens {
  const { verify, commits, clientTokens, revokeAccount } = parts

  return {
    async revoke(jwt, options = {}) {
      checkChange('tokens.revoke', options)
      const reject = (problem: string) =>
        new GatehouseError('ERR_INVALID_ARGUMENT', `this access token cannot be revoked: ${problem}`)
      if (typeof jwt !== 'string') throw reject('a token must be a text')
      const outcome = await verify(jwt)
      if ('problem' in outcome) {
        // The signature was verified before the expiry. So this is a token of this service, and needs no revocation.
        if (outcome.problem === 'expired') return
        throw reject(describeInvalidToken(outcome))
      }
      const { tokenId, expiresAt, clientId, accountId, userId, grantId } = outcome
      const details = { tokenId, clientId, accountId, userId, grantId, ...changeOptionsOf(options) }
      const token = { of: 'token', id: tokenId, until: expiresAt } as const
      await commits.revoke(token, { name: 'token.revoked', ...details })
    },

    async revokeAll(owner, options = {}) {
      checkChange('tokens.revokeAll', options)
      checkInput('the tokens cannot be revoked', owner, {
        clientId: anyValue,
        accountId: anyValue,
        userId: anyValue,
      })
      const ids = Object(owner) as { clientId?: unknown; accountId?: unknown; userId?: unknown }
      if ((ids.clientId === undefined) === (ids.accountId === undefined)) {
        throw new GatehouseError('ERR_INVALID_ARGUMENT', 'pass either { clientId } or { accountId }')
      }
      if (ids.clientId !== undefined) {
        checkInput('the tokens cannot be revoked', owner, { clientId: anyValue, accountId: anyValue })
        await clientTokens.revokeAll(ids.clientId as string, options)
        return { clients: 1, grants: 0 }
      }
      const { accountId, userId } = ids
      // An explicit `userId: undefined` is rejected: it may be a failed lookup, and would revoke all of the account.
      const isOneUser = 'userId' in ids
      const rules = { accountId: textRule, ...(isOneUser && { userId: textRule }) }
      checkInput('the tokens cannot be revoked', { accountId, ...(isOneUser && { userId }) }, rules)
      return revokeAccount.revokeAll(accountId as string, options, userId as string | undefined)
    },
  }
}

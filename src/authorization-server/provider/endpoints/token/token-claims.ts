import type { KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import { personOf } from '../../../../host/subject.ts'
import { recordOf } from '../../client-metadata.ts'
import { requestState } from '../../request-state.ts'

type AccessToken = NonNullable<KoaContextWithOIDC['oidc']['entities']['AccessToken']>
type ClientCredentials = NonNullable<KoaContextWithOIDC['oidc']['entities']['ClientCredentials']>

/**
 * Our own claims in an access token. The mode is stated, never inferred: an account id may equal a client id. The
 * function uses only data already in memory, because no step may fail after a refresh token has been exchanged.
 */
export function tokenClaims(ctx: KoaContextWithOIDC, token: AccessToken | ClientCredentials): UnknownObject {
  const client = recordOf(token.client)
  const { catalogEpoch } = requestState(ctx)
  if (token.kind === 'ClientCredentials') {
    return {
      access_mode: 'direct',
      account_id: client.accountId,
      user_id: client.userId,
      access_epoch: client.epoch,
      catalog_epoch: catalogEpoch,
    }
  }
  const delegated: AccessToken = token
  const { accountId, userId } = personOf(delegated.accountId)
  return {
    access_mode: 'delegated',
    account_id: accountId,
    user_id: userId,
    grant_id: delegated.grantId,
    access_epoch: client.epoch,
    catalog_epoch: catalogEpoch,
  }
}

import type { KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import { personOf } from '../../../../host/subject.ts'
import { recordOf } from '../../client-metadata.ts'
import { requestState } from '../../request-state.ts'

type Entities = KoaContextWithOIDC['oidc']['entities']

/**
 * Our own claims in an access token. `access_mode` states the mode, because a resource server cannot infer
 * the mode from the ids: an account id may equal a client id. The function uses only data already in memory,
 * because no step may fail after a refresh token has been exchanged.
 */
export function tokenClaims(
  ctx: KoaContextWithOIDC,
  token: NonNullable<Entities['AccessToken'] | Entities['ClientCredentials']>,
): UnknownObject {
  const client = recordOf(token.client)
  const grant = token.kind === 'AccessToken' ? token : undefined
  const { accountId, userId } = grant ? personOf(grant.accountId) : client
  return {
    access_mode: grant ? 'delegated' : 'direct',
    account_id: accountId,
    user_id: userId,
    grant_id: grant?.grantId,
    access_epoch: client.epoch,
    catalog_epoch: requestState(ctx).catalogEpoch,
  }
}

import type { KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import { personOf } from '../../../../host/subject.ts'
import { recordOf } from '../../client-metadata.ts'
import { requestState } from '../../request-state.ts'
import { directClaims } from './direct-access.ts'

type Entities = KoaContextWithOIDC['oidc']['entities']

/**
 * Our own claims in the access token that oidc-provider issues. `access_mode` states the mode, because a resource
 * server cannot infer the mode from the ids: an account id may equal a client id. The function uses only data already
 * in memory, because no step may fail after a refresh token has been exchanged.
 */
export function tokenClaims(
  ctx: KoaContextWithOIDC,
  token: NonNullable<Entities['AccessToken'] | Entities['ClientCredentials']>,
): UnknownObject {
  const client = recordOf(token.client)
  const { catalogEpoch } = requestState(ctx)
  if (token.kind === 'ClientCredentials') return directClaims(client, catalogEpoch)
  const { accountId, userId } = personOf(token.accountId)
  return {
    access_mode: 'delegated',
    account_id: accountId,
    user_id: userId,
    grant_id: token.grantId,
    access_epoch: client.epoch,
    catalog_epoch: catalogEpoch,
  }
}

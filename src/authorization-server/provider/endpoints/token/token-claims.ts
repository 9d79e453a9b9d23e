import type { KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import type { Client } from '../../../../clients/client.ts'
import { personOf, type Person } from '../../../../host/subject.ts'
import { recordOf } from '../../client-metadata.ts'
import { requestState } from '../../request-state.ts'

type Entities = KoaContextWithOIDC['oidc']['entities']

/**
 * Our own claims in the access token that oidc-provider issues. The function uses only data already in
 * memory, because no step may fail after a refresh token has been exchanged.
 */
export function tokenClaims(
  ctx: KoaContextWithOIDC,
  token: NonNullable<Entities['AccessToken'] | Entities['ClientCredentials']>,
): UnknownObject {
  const client = recordOf(token.client)
  const grant = token.kind === 'AccessToken' ? token : undefined
  const { catalogEpoch } = requestState(ctx)
  return ownClaims(
    client,
    catalogEpoch,
    grant && { person: personOf(grant.accountId), grantId: grant.grantId },
  )
}

/**
 * Our own claims in an access token. `access_mode` states the mode, because a resource server cannot infer
 * the mode from the ids: an account id may equal a client id.
 *
 * @param catalogEpoch the epoch of the catalog from which the scopes were resolved
 * @param grant the grant of delegated access; undefined for direct access
 */
export function ownClaims(
  client: Client,
  catalogEpoch: number | undefined,
  grant?: { readonly person: Person; readonly grantId: string | undefined },
) {
  const { accountId, userId } = grant?.person ?? client
  return {
    access_mode: grant ? 'delegated' : 'direct',
    account_id: accountId,
    user_id: userId,
    grant_id: grant?.grantId,
    access_epoch: client.epoch,
    catalog_epoch: catalogEpoch,
  }
}

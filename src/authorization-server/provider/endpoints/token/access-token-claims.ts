import { networksClaim } from '../../../../clients/allowed-addresses.ts'
import type { Client } from '../../../../clients/client.ts'
import type { Person } from '../../../../host/subject.ts'

// The claims of an access token (RFC 9068 2.2). Both ways to issue a token use this file.

export function registeredClaims(token: {
  readonly tokenId: string
  readonly subject: string
  readonly scope: string | undefined
  /** In seconds. */
  readonly lifetime: number
  readonly client: Pick<Client, 'clientId' | 'expiresAt'>
  readonly issuer: string
  readonly audience: string | string[] | undefined
}) {
  const { tokenId: jti, subject: sub, scope, client, issuer: iss, audience: aud } = token
  const iat = Math.floor(Date.now() / 1000)
  const exp = Math.min(iat + token.lifetime, client.expiresAt ?? Infinity)
  return { jti, sub, iat, exp, scope, client_id: client.clientId, iss, aud }
}

// They are added with `Object.assign`: Node 20 takes a microsecond for each property that follows a spread.

/** `access_mode` is needed, because an account id may equal a client id. */
export function directClaims(key: Client, catalogEpoch: number | undefined) {
  return {
    access_mode: 'direct',
    account_id: key.accountId,
    user_id: key.userId,
    access_epoch: key.epoch,
    catalog_epoch: catalogEpoch,
    allowed_networks: networksClaim(key),
  }
}

export function delegatedClaims(
  client: Client,
  { accountId, userId }: Person,
  grantId: string | undefined,
  catalogEpoch: number | undefined,
) {
  return {
    access_mode: 'delegated',
    account_id: accountId,
    user_id: userId,
    grant_id: grantId,
    access_epoch: client.epoch,
    catalog_epoch: catalogEpoch,
    allowed_networks: networksClaim(client),
  }
}

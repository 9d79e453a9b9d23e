import { ROUTES } from '../../../authorization-server/provider/routes.ts'
import { applicationScopes, directScopes, limitToOwner } from '../../../catalog/resolve-scopes.ts'
import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { credentialsOf } from '../clients/client-kind.ts'
import { firstReadAddress } from '../clients/curl-commands.ts'
import type { ConsoleServices } from '../services.ts'

export type GuideValues = Awaited<ReturnType<typeof guideValues>>

/** Collects the values of a client for the examples. */
export async function guideValues(services: ConsoleServices, client: Client) {
  const { issuer, audience } = services
  const catalog = services.catalog.current
  const [owner, { secrets, keys }] = await Promise.all([
    services.accounts.find(client.accountId, client.userId),
    client.jwks ? credentialsOf(services, client) : { secrets: [], keys: [] },
  ])
  const scopes =
    client.kind === 'apiKey'
      ? limitToOwner(client, owner ?? {}, directScopes(catalog, client))
      : applicationScopes(catalog, client, owner?.kycLevel)
  const operations = scopes.flatMap((scope) => catalog.operations.get(scope) ?? [])
  const scope = operations.map((each) => each.scope).join(' ')
  const redirectUri = client.kind === 'application' ? client.redirectUris[0] : undefined
  const authorizationAddress = issuer + ROUTES.authorization
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri ?? '',
    scope,
    code_challenge_method: 'S256',
  })
  return {
    kind: client.kind,
    clientId: client.clientId,
    authentication: isPublicClient(client)
      ? ('none' as const)
      : keys.length > 0 && secrets.length === 0
        ? ('key' as const)
        : ('secret' as const),
    hasSecret: !isPublicClient(client),
    keyIds: keys.map(({ kid }) => kid),
    issuer,
    tokenAddress: issuer + ROUTES.token,
    authorizationAddress,
    /** Lacks `state` and `code_challenge`. */
    authorizationRequest: `${authorizationAddress}?${query.toString()}`,
    revocationAddress: issuer + ROUTES.revocation,
    audience,
    scope,
    /** Those that the client may call, in the order of the catalog. */
    operations,
    redirectUri,
    /** A GET without parameters, to try the API. */
    readAddress: firstReadAddress(catalog, scopes, audience),
  }
}

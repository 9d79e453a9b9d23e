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
    authorizationAddress: issuer + ROUTES.authorization,
    revocationAddress: issuer + ROUTES.revocation,
    audience,
    /** Those that the client may call, in the order of the catalog. */
    operations: scopes.flatMap((scope) => catalog.operations.get(scope) ?? []),
    redirectUri: client.kind === 'application' ? client.redirectUris[0] : undefined,
    /** A GET without parameters, to try the API. */
    readAddress: firstReadAddress(catalog, scopes, audience),
  }
}

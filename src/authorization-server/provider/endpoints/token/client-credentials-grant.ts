import type { Catalog } from '../../../../catalog/catalog.ts'
import { directScopes, limitToOwner } from '../../../../catalog/resolve-scopes.ts'
import type { Resource } from '../../../../catalog/resources.ts'
import type { Client } from '../../../../clients/client.ts'
import { lifetimeWithin } from '../../../../clients/expiry-policy.ts'
import { whyNoOperation, whyUnauthorized } from '../../../../clients/why-no-token.ts'
import type { Account } from '../../../../host/accounts.ts'
import { findOnce } from '../../../../host/find-once.ts'
import { randomId } from '../../../../keys/random-id.ts'
import { accessTokenSigner } from '../../../../keys/token-signers.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { requestedScopes, requireAllowed, requireUsableScope } from '../../requested-scope.ts'
import { explainRejectionAt, noAccess } from '../../resource-access.ts'
import { namedResource } from '../../resource-indicator.ts'
import { reportToken } from '../token.ts'
import { directClaims, registeredClaims } from './access-token-claims.ts'
import type { AnswerTokenRequest } from './token-request.ts'

/** Answers client credentials (RFC 6749 4.4): which scopes an API key gets. Rejects with errors of oidc-provider. */
export function createDirectToken(parts: ProviderParts): AnswerTokenRequest {
  const { resources, catalog, accounts, settings } = parts
  const { issuer, lifetimes } = settings
  const signer = accessTokenSigner(parts.signingKeys)

  return async function directToken(request) {
    const { client } = request
    const resource = namedResource(request.resource, resources)
    // One catalog for the whole request, because products may change while the host looks up the account.
    const [{ current: all }, { current: own }] = [catalog, resource.catalog]
    const owner = whyNoOperation(all, client) ? undefined : await findOnce(accounts, request.accounts, client)
    if (!owner || whyUnauthorized(own, client, owner)) throw noAccess(resource, all, client, owner)
    const scopes = directTokenScopes(resource, { all, own }, client, owner, request.scope)
    const { address: audience } = resource
    const tokenId = randomId()
    const scope = scopes.join(' ')
    const lifetime = lifetimeWithin(client, lifetimes.directAccessToken)
    const subject = client.clientId
    const registered = registeredClaims({ tokenId, subject, scope, lifetime, client, issuer, audience })
    const claims = Object.assign(registered, directClaims(client, all.epoch))
    const token = await (request.signsHere ? signer.signHere : signer.signOnOtherThread)(claims)
    parts.clientUsed(client, request.credential)
    reportToken(parts, 'direct', client, client, { tokenId, scopes, lifetime })
    // RFC 6749 4.4.3.
    return { access_token: token, expires_in: lifetime, scope, token_type: 'Bearer' }
  }
}

/**
 * The scopes of a token for direct access (RFC 6749 4.4); by default all that the API key may use. `all` are all
 * products, `own` those of the resource.
 * @throws invalid_scope
 */
function directTokenScopes(
  resource: Resource,
  { all, own }: { readonly all: Catalog; readonly own: Catalog },
  key: Client,
  owner: Account,
  scope: string | undefined,
): readonly string[] {
  const allowed = limitToOwner(key, owner, directScopes(own, key))
  const requested = requestedScopes(scope)
  requireAllowed(
    requested,
    (name) =>
      explainRejectionAt(resource, all, key, undefined, name) ??
      (allowed.includes(name) ? undefined : `the user of this API key may not use the operation ${name}`),
  )
  const scopes = requested.length > 0 ? requested : allowed
  requireUsableScope(scopes)
  return scopes
}

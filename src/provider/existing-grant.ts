import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { recordOf } from './client-metadata.ts'
import type { RememberedConsents } from './remembered-consents.ts'
import type { WithUser } from './seam.ts'

type Decision = { readonly granted: readonly string[]; readonly refused: readonly string[] }

/**
 * Writes a decision into a grant of its own. Each authorization gets one: grants that authorizations share
 * shrink each other, and what is neither granted nor refused in it is asked for again for ever.
 */
export function writeDecision(
  grant: Grant,
  audience: string,
  openIdScopes: readonly string[],
  decision: Decision,
) {
  const isOpenId = (scope: string) => openIdScopes.includes(scope)
  grant.addResourceScope(audience, [...decision.granted])
  grant.addOIDCScope(decision.granted.filter(isOpenId))
  if (decision.refused.length === 0) return
  grant.rejectResourceScope(audience, [...decision.refused])
  grant.rejectOIDCScope(decision.refused.filter(isOpenId))
}

/**
 * The grant of this authorization if nobody has to be asked: the one that the consent page made, or a fresh
 * one where the account has authorized all this before, or the application is the host's own.
 */
export function createLoadExistingGrant(
  audience: string,
  openIdScopes: readonly string[],
  consents: RememberedConsents,
) {
  return async function loadExistingGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
    const { client, provider, prompts, requestParamScopes, result, session } = ctx.oidc
    const decided = result?.consent?.grantId
    if (decided !== undefined) return provider.Grant.find(decided)
    if (!client || session?.accountId === undefined || prompts.has('consent')) return undefined

    const record = recordOf(client)
    const isFirstParty = record.kind === 'application' && record.firstParty
    const requested = [...requestParamScopes]
    if (!isFirstParty) {
      const { granted } = await consents.find(session.accountId, record.clientId)
      if (!requested.every((scope) => granted.includes(scope))) return undefined
    }

    const grant = new provider.Grant({ accountId: session.accountId, clientId: record.clientId })
    ;(grant as WithUser).userId = (session as WithUser).userId
    writeDecision(grant, audience, openIdScopes, { granted: requested, refused: [] })
    await grant.save()
    return grant
  }
}

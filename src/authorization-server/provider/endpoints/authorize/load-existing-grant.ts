import type { Grant, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider'
import type { ConsentDecision } from '../../../../grants/consent-decision.ts'
import { documentOf } from '../../../../clients/documents/document-application.ts'
import { alwaysAsks } from '../../../../clients/public-applications.ts'
import { isConsentNeeded } from '../../../../grants/consent-needed.ts'
import type { ConsentVersions } from '../../../../grants/revoked-consents.ts'
import { personOf } from '../../../../host/subject.ts'
import { recordOf } from '../../request-state.ts'
import { limitToUser, resourceOfRequest } from '../../delegated-scopes.ts'
import type { ProviderParts, ProviderSettings } from '../../dependencies.ts'
import { requireUsableScope } from '../../requested-scope.ts'
import type { GrantWithVersions } from '../../seam/sessions.ts'

/**
 * Writes one decision into a new grant: two authorizations in one grant would remove each other's scopes. oidc-provider
 * asks again for every scope that a grant neither grants nor denies. `versions` were in force before the decision.
 */
export function writeDecision(
  grant: Grant,
  { openIdScopes }: ProviderSettings,
  resource: string,
  { granted, denied }: ConsentDecision,
  versions: ConsentVersions,
): void {
  const isOpenId = (scope: string) => openIdScopes.includes(scope)
  ;(grant as GrantWithVersions).versions = versions
  grant.addResourceScope(resource, [...granted])
  grant.addOIDCScope(granted.filter(isOpenId))
  if (denied.length === 0) return
  grant.rejectResourceScope(resource, [...denied])
  grant.rejectOIDCScope(denied.filter(isOpenId))
}

/**
 * The grant of an authorization request; undefined if a person must first answer on a page. After a sign-in or the
 * choice of an account (`checksBefore`), another person may continue. Operations that the person may not use are left
 * out.
 * @throws invalid_scope if the person may use no requested operation, or if a token would be too long
 */
export async function loadExistingGrant(
  parts: ProviderParts,
  checksBefore: readonly interactionPolicy.Check[],
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, provider, result, session } = ctx.oidc
  if (!client || session?.accountId === undefined) return undefined
  const decided = result?.consent?.grantId
  if (decided === undefined) for (const { check } of checksBefore) if (await check(ctx)) return undefined
  const requested = await limitToUser(parts, ctx, client)
  if (decided !== undefined) return provider.Grant.find(decided)
  requireUsableScope(requested)

  const { accountId: subject } = session
  const record = recordOf(client)
  const { address } = resourceOfRequest(parts, ctx)
  const { consent, versions } = await parts.consents.get(
    personOf(subject),
    { clientId: record.clientId, document: documentOf(record) },
    address,
  )
  const application = record.kind === 'application' ? record : undefined
  const isFirstParty = application?.firstParty === true
  const redirectUri = String(ctx.oidc.params?.['redirect_uri'])
  const isDemanded =
    ctx.oidc.prompts.has('consent') || (application !== undefined && alwaysAsks(application, redirectUri))
  if (isConsentNeeded(requested, consent, { isDemanded, isFirstParty })) return undefined

  const grant = new provider.Grant({ accountId: subject, clientId: record.clientId })
  writeDecision(grant, parts.settings, address, { granted: requested, denied: [] }, versions)
  await grant.save()
  return grant
}

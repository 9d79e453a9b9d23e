import type { Grant, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider'
import type { Client } from '../../../../clients/client.ts'
import { isConsentNeeded, type ConsentDecision } from '../../../../grants/consent-policy.ts'
import type { ConsentVersions } from '../../../../grants/consent-version.ts'
import { personOf, type Person } from '../../../../host/subject.ts'
import { recordOf } from '../../client-metadata.ts'
import type { ProviderParts, ProviderSettings } from '../../dependencies.ts'
import type { GrantWithVersions } from '../../seam/sessions.ts'

type Parts = Pick<ProviderParts, 'settings' | 'consents'>

/**
 * Writes one decision into a new grant. The caller must save the grant. Each authorization gets its own
 * grant, because authorizations that share a grant would remove each other's scopes. The decision includes
 * the denied scopes, because oidc-provider asks again for every scope that a grant neither grants nor denies.
 *
 * @param versions the consent versions that were in force before the decision
 */
export function writeDecision(
  grant: Grant,
  { audience, openIdScopes }: ProviderSettings,
  { granted, denied }: ConsentDecision,
  versions: ConsentVersions,
): void {
  const isOpenId = (scope: string) => openIdScopes.includes(scope)
  ;(grant as GrantWithVersions).versions = versions
  grant.addResourceScope(audience, [...granted])
  grant.addOIDCScope(granted.filter(isOpenId))
  if (denied.length === 0) return
  grant.rejectResourceScope(audience, [...denied])
  grant.rejectOIDCScope(denied.filter(isOpenId))
}

/**
 * Returns the grant of an authorization request, or undefined if a person must first answer on a page.
 *
 * - After a decision on the consent page, the result is the grant that the consent page created.
 * - If a person must first sign in or choose an account, the result is undefined, because the request may
 *   then continue with a different person.
 * - If the person has authorized all requested scopes before, the result is a new grant.
 * - If the application is the host's own (`firstParty`), the result is a new grant.
 *
 * @param checksBefore oidc-provider's checks of whether a person must sign in or choose an account
 */
export async function loadExistingGrant(
  parts: Parts,
  checksBefore: readonly interactionPolicy.Check[],
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, provider, requestParamScopes, result, session } = ctx.oidc
  const decided = result?.consent?.grantId
  if (decided !== undefined) return provider.Grant.find(decided)
  if (!client || session?.accountId === undefined) return undefined
  for (const { check } of checksBefore) if (await check(ctx)) return undefined

  const { accountId: subject } = session
  const record = recordOf(client)
  const versions = await findConsent(parts, ctx, personOf(subject), record)
  if (!versions) return undefined

  const grant = new provider.Grant({ accountId: subject, clientId: record.clientId })
  writeDecision(grant, parts.settings, { granted: [...requestParamScopes], denied: [] }, versions)
  await grant.save()
  return grant
}

/**
 * Returns the current consent versions if the request is authorized without asking the person. Returns
 * undefined if the person must be asked.
 */
async function findConsent(
  { consents }: Parts,
  ctx: KoaContextWithOIDC,
  person: Person,
  client: Client,
): Promise<ConsentVersions | undefined> {
  if (ctx.oidc.prompts.has('consent')) return undefined
  const { consent, versions } = await consents.get(person, client.clientId)
  const requested = [...ctx.oidc.requestParamScopes]
  const isFirstParty = client.kind === 'application' && client.firstParty
  return isFirstParty || !isConsentNeeded(requested, consent) ? versions : undefined
}

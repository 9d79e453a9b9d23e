import type { Grant, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider'
import { isConsentNeeded } from '../../../../grants/consent-policy.ts'
import { personOf, type Person } from '../../../../host/subject.ts'
import type { ConsentDecision } from '../../../../grants/consent-policy.ts'
import type { Client } from '../../../../clients/client.ts'
import { recordOf } from '../../client-metadata.ts'
import type { ConsentStore } from '../../../../grants/consent-store.ts'
import type { ConsentVersions } from '../../../../grants/consent-version.ts'
import type { GrantWithVersions } from '../../seam/sessions.ts'

/**
 * Writes a decision into a grant of its own. Each authorization gets one: grants that authorizations share
 * shrink each other, and what is neither granted nor denied in it is asked for again for ever.
 */
export function writeDecision(
  grant: Grant,
  audience: string,
  openIdScopes: readonly string[],
  decision: ConsentDecision,
) {
  const isOpenId = (scope: string) => openIdScopes.includes(scope)
  grant.addResourceScope(audience, [...decision.granted])
  grant.addOIDCScope(decision.granted.filter(isOpenId))
  if (decision.denied.length === 0) return
  grant.rejectResourceScope(audience, [...decision.denied])
  grant.rejectOIDCScope(decision.denied.filter(isOpenId))
}

/**
 * The grant of this authorization if nobody has to be asked: the one that the consent page made, or a fresh
 * one where the account has authorized all this before, or the application is the host's own. None is made for
 * somebody who has to sign in or to choose an account first, and may be somebody else then.
 */
export function createLoadExistingGrant(parts: {
  readonly audience: string
  readonly openIdScopes: readonly string[]
  readonly consents: ConsentStore
  /** What oidc-provider asks before a person has to sign in, or to choose an account. */
  readonly checksBefore: readonly interactionPolicy.Check[]
}) {
  const { audience, openIdScopes, consents, checksBefore } = parts

  async function isSomethingDueBefore(ctx: KoaContextWithOIDC): Promise<boolean> {
    for (const { check } of checksBefore) {
      if (await check(ctx)) return true
    }
    return false
  }

  /** The consent versions in which this is authorized without asking; undefined if the person must be asked. */
  async function findConsent(
    ctx: KoaContextWithOIDC,
    person: Person,
    client: Client,
  ): Promise<ConsentVersions | undefined> {
    const promptConsent = ctx.oidc.prompts.has('consent')
    const isFirstParty = client.kind === 'application' && client.firstParty
    if (promptConsent) return undefined
    const { consent, versions } = await consents.get(person, client.clientId)
    const requested = [...ctx.oidc.requestParamScopes]
    return isFirstParty || !isConsentNeeded({ requested, stored: consent, promptConsent })
      ? versions
      : undefined
  }

  return async function loadExistingGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
    const { client, provider, requestParamScopes, result, session } = ctx.oidc
    const decided = result?.consent?.grantId
    if (decided !== undefined) return provider.Grant.find(decided)
    if (!client || session?.accountId === undefined || (await isSomethingDueBefore(ctx))) return undefined

    const { accountId: subject } = session
    const record = recordOf(client)
    const versions = await findConsent(ctx, personOf(subject), record)
    if (!versions) return undefined

    const grant = new provider.Grant({ accountId: subject, clientId: record.clientId })
    ;(grant as GrantWithVersions).versions = versions
    writeDecision(grant, audience, openIdScopes, { granted: [...requestParamScopes], denied: [] })
    await grant.save()
    return grant
  }
}

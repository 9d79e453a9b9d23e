import type { Context } from 'koa'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import { applicationScopes } from '../../catalog/resolve-scopes.ts'
import type { Application } from '../../clients/client.ts'
import type { SignedIn } from '../../host/accounts.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import type { Pages } from './pages.ts'
import { destinationOf, presentAccount, presentApplication } from './present-parties.ts'
import { scopeGroups } from './scope-choices.ts'

export interface ConsentPreviewOptions {
  readonly pages: Pick<Pages, 'renderConsentPreview' | 'textsFor'>
  readonly catalog: CurrentCatalog
  readonly accounts: Pick<HostAccounts, 'find'>
  /** The scopes of OpenID Connect that applications may request. */
  readonly openIdScopes: readonly string[]
  /** Seconds after which access ends if the application does not refresh its tokens. */
  readonly accessLifetime: number
}

export interface ConsentPreview {
  readonly application: Application
  /** Scopes that the application may not request now are left out. @default all that it may request now */
  readonly scopes?: readonly string[] | undefined
  /** Who looks at the page; shown as the user. */
  readonly viewer: Pick<SignedIn, 'accountId' | 'userId'>
}

/**
 * Responds with the consent page of an application, as a new user sees it: without a request, and with forms that
 * cannot be sent. Pages of the same origin may frame it. The caller checks that the viewer may see the application.
 */
export function createConsentPreview(options: ConsentPreviewOptions) {
  const { pages, catalog, accounts, openIdScopes, accessLifetime } = options

  return async function previewConsent(ctx: Context, preview: ConsentPreview): Promise<void> {
    const { application, viewer } = preview
    const [developer, company, account] = await Promise.all([
      accounts.find(application.accountId, application.userId),
      application.userId !== undefined && accounts.find(application.accountId),
      accounts.find(viewer.accountId, viewer.userId),
    ])
    const { current } = catalog
    const allowed = [...openIdScopes, ...applicationScopes(current, application, developer?.kycLevel)]
    const pending = {
      application: presentApplication(application, company || developer),
      requestedScopes: preview.scopes?.filter((scope) => allowed.includes(scope)) ?? allowed,
      storedConsent: { granted: [], denied: [] },
    }
    const [redirectUri] = application.redirectUris
    pages.renderConsentPreview(ctx, {
      application: pending.application,
      account: presentAccount(account ?? { id: viewer.accountId }),
      groups: scopeGroups(pending, current, pages.textsFor(ctx)),
      accessLifetime,
      destination: redirectUri === undefined ? undefined : destinationOf(application, redirectUri),
    })
  }
}

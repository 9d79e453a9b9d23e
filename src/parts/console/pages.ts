import { activityPage } from './activity/activity-page.ts'
import { previewFramePage, previewPage } from './applications/preview-pages.ts'
import { connectedPage } from './connected-applications/connected-page.ts'
import { guidePage } from './guide/guide-page.ts'
import { hygienePages } from './hygiene/hygiene-pages.ts'
import { inspectorPage } from './inspector/inspector-page.ts'
import { accountPages } from './operator/account-page.ts'
import { operatorAuditPage } from './operator/audit-page.ts'
import { documentsPage } from './operator/documents-page.ts'
import { healthPage } from './operator/health-page.ts'
import { keysPages } from './operator/keys-page.ts'
import { revokePages } from './operator/revoke-page.ts'
import { searchPage } from './operator/search-page.ts'
import { usagePages } from './usage/usage-pages.ts'
import { overviewPage } from './overview/overview-page.ts'
import type { Page } from './page-types.ts'
import type { ConsoleServices } from './services.ts'
import { apiKeyKind, applicationKind } from './clients/client-kind.ts'
import { questionPages } from './clients/render-questions.ts'
import { clientPages, operatorClientPages } from './clients/client-page.ts'
import { listPage } from './clients/list-page.ts'
import { newGatewayKeyPage } from './clients/new-gateway-key-page.ts'
import { newPage } from './clients/new-page.ts'

/** All pages of the console. */
export function consolePages(services: ConsoleServices): readonly Page[] {
  return [
    overviewPage(services),
    ...hygienePages(services),
    ...usagePages(services),
    newGatewayKeyPage(services),
    ...[apiKeyKind(services), applicationKind(services)].flatMap((kind) => [
      listPage(kind, services),
      // The path of this page must come before `/:clientId`.
      newPage(kind, services),
      ...clientPages(kind, services),
      ...questionPages(kind, services),
      guidePage(kind, services),
    ]),
    previewPage(services),
    previewFramePage(services),
    connectedPage(services),
    activityPage(services),
    inspectorPage(services),
    searchPage(services),
    ...operatorClientPages(services),
    ...accountPages(services),
    ...revokePages(services),
    ...keysPages(services),
    ...(services.settings.clientDocuments.length > 0 ? [documentsPage(services)] : []),
    healthPage(services),
    operatorAuditPage(services),
  ]
}

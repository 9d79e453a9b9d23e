import { activityPages } from './activity/activity-page.ts'
import { applicationPageParts } from './applications/application-page-parts.ts'
import { previewFramePage, previewPage } from './applications/preview-pages.ts'
import { settingsPage } from './applications/settings-page.ts'
import { clientPages } from './clients/client-pages.ts'
import { connectedPages } from './connected-applications/connected-page.ts'
import { guidePages } from './guide/guide-pages.ts'
import { inspectorPages } from './inspector/inspector-page.ts'
import { accountPages } from './operator/account-page.ts'
import { auditPage } from './operator/audit-page.ts'
import { clientPage } from './operator/client-page.ts'
import { healthPage } from './operator/health-page.ts'
import { keysPages } from './operator/keys-page.ts'
import { revokePages } from './operator/revoke-page.ts'
import { searchPage } from './operator/search-page.ts'
import { overviewPage } from './overview/overview-page.ts'
import type { Page } from './page.ts'
import type { ConsoleServices } from './services.ts'

/** All pages of the console. */
export function consolePages(services: ConsoleServices): readonly Page[] {
  return [
    overviewPage(services),
    ...clientPages(services),
    ...guidePages(services),
    ...applicationPages(services),
    ...connectedPages(services),
    ...activityPages(services),
    ...inspectorPages(services),
    ...operatorPages(services),
  ]
}

/** The pages that only applications have. */
function applicationPages(services: ConsoleServices): Page[] {
  const parts = applicationPageParts(services)
  return [settingsPage(parts), previewPage(parts), previewFramePage(parts)]
}

/** The pages of operators, who may see and revoke everything. */
function operatorPages(services: ConsoleServices): Page[] {
  return [
    searchPage(services),
    clientPage(services),
    ...accountPages(services),
    ...revokePages(services),
    ...keysPages(services),
    healthPage(services),
    auditPage(services),
  ]
}

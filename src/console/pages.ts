import { activityPages } from './activity/activity-page.ts'
import { applicationPages } from './applications/application-pages.ts'
import { clientPages } from './clients/client-pages.ts'
import { connectedPages } from './connected-applications/connected-page.ts'
import { guidePages } from './guide/guide-pages.ts'
import { inspectorPages } from './inspector/inspector-page.ts'
import { operatorPages } from './operator/operator-pages.ts'
import { overviewPage } from './overview/overview-page.ts'
import type { Page } from './page.ts'
import type { ConsoleServices } from './services.ts'

/** All pages of the console. */
export function consolePages(services: ConsoleServices): readonly Page[] {
  return [
    overviewPage(services),
    ...(services.isRegistryAtHost
      ? []
      : [...clientPages(services), ...guidePages(services), ...applicationPages(services)]),
    ...connectedPages(services),
    ...activityPages(services),
    ...inspectorPages(services),
    ...operatorPages(services),
  ]
}

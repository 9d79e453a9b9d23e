import type { Page } from '../page.ts'
import { apiKeyKind, applicationKind, type ClientPageServices } from './client-kind.ts'
import { clientPage } from './client-page.ts'
import { deletePage } from './delete-page.ts'
import { listPage } from './list-page.ts'
import { newPage } from './new-page.ts'
import { reportPage } from './report-page.ts'

/** The pages of API keys and of applications. */
export function clientPages(services: ClientPageServices): Page[] {
  const kinds = [apiKeyKind(services.apiKeys), applicationKind(services.applications)]
  return kinds.flatMap((kind) => [
    listPage(kind, services),
    // Its path must come before `/:clientId`.
    newPage(kind, services),
    clientPage(kind, services),
    reportPage(kind),
    deletePage(kind),
  ])
}

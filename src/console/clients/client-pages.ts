import type { Page } from '../page.ts'
import { apiKeyKind, applicationKind, type ClientPageServices } from './client-kind.ts'
import { listPage } from './list-page.ts'
import { newPage } from './new-page.ts'

/** The pages of API keys and of applications. */
export function clientPages(services: ClientPageServices): Page[] {
  const kinds = [apiKeyKind(services.apiKeys), applicationKind(services.applications)]
  return kinds.flatMap((kind) => [listPage(kind, services), newPage(kind, services)])
}

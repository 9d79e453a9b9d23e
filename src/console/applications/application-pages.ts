import type { Page } from '../page.ts'
import { applicationPageParts, type ApplicationPageServices } from './application-page-parts.ts'
import { previewFramePage, previewPage } from './preview-pages.ts'
import { settingsPage } from './settings-page.ts'

/** The settings of applications, and the preview of the consent page. */
export function applicationPages(services: ApplicationPageServices): Page[] {
  const parts = applicationPageParts(services)
  return [settingsPage(parts), previewPage(parts), previewFramePage(parts)]
}

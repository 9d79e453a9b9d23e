import type { Logger } from '../host/logger.ts'
import { createReaderTexts, type PageText, type ReaderTexts } from '../http/pages/texts.ts'
import * as everyPage from './texts/every-page.ts'
import * as activity from './texts/activity.ts'
import * as applications from './texts/applications.ts'
import * as clientPage from './texts/client-page.ts'
import * as clients from './texts/clients.ts'
import * as connected from './texts/connected.ts'
import * as guide from './texts/guide.ts'
import * as inspector from './texts/inspector.ts'
import * as operator from './texts/operator.ts'
import * as operatorService from './texts/operator-service.ts'
import * as overview from './texts/overview.ts'
import * as problems from './texts/problems.ts'
import * as revokeAccount from './texts/revoke-account.ts'

/** Every text of the console, in English. Names in braces become values: `{name}`. */
export const english = {
  ...everyPage.english,
  ...problems.english,
  ...overview.english,
  ...clients.english,
  ...clientPage.english,
  ...guide.english,
  ...applications.english,
  ...connected.english,
  ...activity.english,
  ...operator.english,
  ...revokeAccount.english,
  ...operatorService.english,
  ...inspector.english,
}

/** Every text of the console, in German. */
export const german = {
  ...everyPage.german,
  ...problems.german,
  ...overview.german,
  ...clients.german,
  ...clientPage.german,
  ...guide.german,
  ...applications.german,
  ...connected.german,
  ...activity.german,
  ...operator.german,
  ...revokeAccount.german,
  ...operatorService.german,
  ...inspector.german,
}

/** The name of a text. */
export type TextName = keyof typeof english

/** Every text of the console. A text with the value `{count}` may have one form for each plural of its language. */
export type ConsoleTexts = { readonly [Name in TextName]: PageText }

/** The texts of the console for one reader. */
export type ConsoleReaderTexts = ReaderTexts<TextName>

/**
 * The texts of the console in all languages. English and German are complete.
 *
 * @param options.texts the host's texts by locale
 * @param options.logger logs once which texts of these locales are missing
 */
export function createConsoleTexts(options: {
  readonly texts: { readonly [locale: string]: Partial<ConsoleTexts> }
  readonly defaultLocale: string
  readonly logger: Logger
}) {
  return createReaderTexts<ConsoleTexts>({
    ...options,
    english,
    translations: { de: german },
    pages: 'the console',
  })
}

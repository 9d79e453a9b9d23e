import type { Logger } from '../../host/logger.ts'
import { createReaderTexts, type ReaderTexts } from '../../http/pages/texts.ts'
import { english, type ConsoleTexts, type TextName } from './texts/english.ts'
import { german } from './texts/german.ts'

export { english, german, type ConsoleTexts, type TextName }

export type ConsoleReaderTexts = ReaderTexts<TextName>

/** The texts of the console in all languages. Missing texts of the host's locales are logged once. */
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

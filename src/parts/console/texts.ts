import { createReaderTexts, type ReaderTexts } from '../../http/pages/texts.ts'
import { english, type ConsoleTexts, type TextName } from './texts/english.ts'
import { german } from './texts/german.ts'

export { english, german, type ConsoleTexts, type TextName }

export type ConsoleReaderTexts = ReaderTexts<TextName>

type TextOptions = Parameters<typeof createReaderTexts<ConsoleTexts>>[0]

/** The texts of the console in all languages. Missing texts of the host's locales are logged once. */
export function createConsoleTexts(options: Pick<TextOptions, 'texts' | 'defaultLocale' | 'logger'>) {
  return createReaderTexts<ConsoleTexts>({
    ...options,
    english,
    translations: { de: german },
    pages: 'the console',
  })
}

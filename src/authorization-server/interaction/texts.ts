import { createReaderTexts, type ReaderTexts } from '../../http/pages/texts.ts'
import { english, type Texts } from './texts/english.ts'
import { german } from './texts/german.ts'

export { english, type Texts }

export type PageTexts = ReaderTexts<keyof Texts>

/** The texts of the pages in all languages. English and German are complete. */
export function createTexts(
  options: Pick<Parameters<typeof createReaderTexts<Texts>>[0], 'texts' | 'defaultLocale' | 'logger'>,
) {
  return createReaderTexts<Texts>({
    ...options,
    english,
    translations: { de: german },
    together: ['signInTitle', 'signInIntro'],
    pages: 'the pages',
  })
}

export type TextsByLocale = ReturnType<typeof createTexts>

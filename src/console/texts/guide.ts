import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the guides with the values of one client. */
export const english = {
  guideTitle: 'Use it from your program',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  guideTitle: 'Im eigenen Programm nutzen',
}

import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the pages of operators. */
export const english = {
  operatorTitle: 'Operations',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  operatorTitle: 'Betrieb',
}

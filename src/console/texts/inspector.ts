import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the token inspector. */
export const english = {
  inspectorTitle: 'Token inspector',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  inspectorTitle: 'Token-Prüfer',
}

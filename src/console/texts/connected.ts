import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the connected applications of a user. */
export const english = {
  connectedTitle: 'Connected applications',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  connectedTitle: 'Verbundene Anwendungen',
}

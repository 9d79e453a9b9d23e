import type { PageText } from '../../http/pages/texts.ts'

/** The texts of API keys and applications: lists, new clients, and the page of one client. */
export const english = {
  doneRenamed: 'The new name is saved.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  doneRenamed: 'Der neue Name ist gespeichert.',
}

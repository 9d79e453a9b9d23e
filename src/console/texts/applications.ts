import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the settings of applications. */
export const english = {
  applicationSettingsTitle: 'Settings of {name}',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  applicationSettingsTitle: 'Einstellungen von {name}',
}

/** The texts of the start page of the console. */
export const english = {
  overviewTitle: 'Overview',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, string>> = {
  overviewTitle: 'Übersicht',
}

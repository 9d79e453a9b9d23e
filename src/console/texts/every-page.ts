/** The texts of the navigation, of errors, and of what all pages have in common. */
export const english = {
  navLabel: 'Console',
  navOverview: 'Overview',
  navApiKeys: 'API keys',
  navApplications: 'Applications',
  navConnected: 'Connected applications',
  navActivity: 'Activity',
  navOperator: 'Operator',
  navInspector: 'Token inspector',

  copyButton: 'Copy',
  copiedButton: 'Copied',
  saveButton: 'Save',
  cancelLink: 'Cancel',
  nextPageLink: 'Next page',
  firstPageLink: 'First page',
  opensNewTab: '(opens in a new tab)',
  never: 'never',
  none: 'none',

  problemsTitle: 'This was not saved',
  /** Names a line of a field with several lines. */
  problemLine: '{field}, line {count}',
  /** Window title of a page whose form was rejected. */
  problemWindow: 'Error: {title}',

  errorNotFoundTitle: 'Not found',
  errorNotFound: 'There is nothing at this address, or it belongs to another account.',
  errorForbiddenTitle: 'No permission',
  errorForbidden: 'Your account may not do this. Ask the person who manages it.',
  errorFormTitle: 'The form could not be checked',
  errorForm:
    'Nothing was done. The form belongs to another session, or another site has sent it. Open the page again and repeat what you did.',
  errorSignInTitle: 'Sign in again',
  errorSignIn: 'You are signed out, so nothing was done.',
  signInLink: 'Sign in',
  errorBusyTitle: 'Not available for the moment',
  errorBusy:
    'The service cannot be reached. Try again in a moment. If you changed something, look first whether it was done.',
  errorInternalTitle: 'Something went wrong on our side',
  errorInternal: 'The people who run this service have been informed. Try again later.',
  errorRepeated:
    'This form was sent already with other content, or what it created was deleted since. Begin again.',
  errorInProgress: 'The same form is being processed. Wait a moment, then reload the page.',
  errorMethod: 'This address cannot be used in that way.',
  tryAgainLink: 'Try again',
  backToStart: 'Back to the start page',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, string>> = {
  navLabel: 'Konsole',
  navOverview: 'Übersicht',
  navApiKeys: 'API-Schlüssel',
  navApplications: 'Anwendungen',
  navConnected: 'Verbundene Anwendungen',
  navActivity: 'Aktivität',
  navOperator: 'Betrieb',
  navInspector: 'Token-Prüfer',

  copyButton: 'Kopieren',
  copiedButton: 'Kopiert',
  saveButton: 'Speichern',
  cancelLink: 'Abbrechen',
  nextPageLink: 'Nächste Seite',
  firstPageLink: 'Erste Seite',
  opensNewTab: '(öffnet einen neuen Tab)',
  never: 'nie',
  none: 'keine',

  problemsTitle: 'Das wurde nicht gespeichert',
  problemLine: '{field}, Zeile {count}',
  problemWindow: 'Fehler: {title}',

  errorNotFoundTitle: 'Nicht gefunden',
  errorNotFound: 'Unter dieser Adresse gibt es nichts, oder es gehört einem anderen Konto.',
  errorForbiddenTitle: 'Keine Berechtigung',
  errorForbidden: 'Ihr Konto darf das nicht. Fragen Sie die Person, die es verwaltet.',
  errorFormTitle: 'Das Formular konnte nicht geprüft werden',
  errorForm:
    'Es wurde nichts geändert. Das Formular gehört zu einer anderen Sitzung, oder eine andere Website hat es gesendet. Öffnen Sie die Seite neu und wiederholen Sie den Schritt.',
  errorSignInTitle: 'Bitte neu anmelden',
  errorSignIn: 'Sie sind abgemeldet, deshalb wurde nichts geändert.',
  signInLink: 'Anmelden',
  errorBusyTitle: 'Im Moment nicht verfügbar',
  errorBusy:
    'Der Dienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal. Falls Sie etwas geändert haben, prüfen Sie zuerst, ob es angekommen ist.',
  errorInternalTitle: 'Bei uns ist etwas schiefgegangen',
  errorInternal: 'Die Betreiber dieses Dienstes wurden informiert. Versuchen Sie es später noch einmal.',
  errorRepeated:
    'Dieses Formular wurde schon mit anderem Inhalt gesendet, oder was es erstellt hat, wurde inzwischen gelöscht. Beginnen Sie von vorn.',
  errorInProgress:
    'Dasselbe Formular wird gerade verarbeitet. Warten Sie einen Moment und laden Sie die Seite neu.',
  errorMethod: 'Diese Adresse kann so nicht benutzt werden.',
  tryAgainLink: 'Noch einmal versuchen',
  backToStart: 'Zurück zur Startseite',
}

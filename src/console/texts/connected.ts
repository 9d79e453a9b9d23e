import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the connected applications of a user. */
export const english = {
  connectedTitle: 'Connected applications',
  connectedIntro:
    'You allowed these applications to act for you. Disconnect the ones that you no longer use or do not know.',
  connectedEmptyTitle: 'No connected applications',
  connectedEmpty:
    'If you allow an application to act for you, it appears here. You see what it may do, and you can disconnect it at any time.',
  connectedCount: { one: '{count} application', other: '{count} applications' },
  connectedDeveloper: 'by {developer}',
  connectedPrivacy: 'Privacy policy',
  connectedMay: 'It may:',
  connectedMayNothing: 'It may do nothing at the moment.',
  connectedMore: { one: '{count} more', other: '{count} more' },
  connectedSensitive: 'Sensitive',
  connectedSince: 'Connected since {date}',
  connectedLastUsed: 'last used {date}',
  connectedUnknown: 'Unknown application',
  connectedUnknownHint:
    'The application {clientId} was deleted, so its name is no longer known. It can no longer act for you. Disconnect it to remove it from this list.',
  connectedDisconnect: 'Disconnect',
  connectedConfirm:
    'Disconnect {name}? It loses access at once, and whatever you use it for stops working. To connect it again, you must allow it again.',
  connectedDisconnected: '{name} is disconnected. It can no longer act for you.',
  connectedUnknownDisconnected: 'The deleted application is disconnected. It can no longer act for you.',
  connectedScopeOpenid: 'Know who you are',
  connectedScopeProfile: 'See your profile, such as your name and picture',
  connectedScopeEmail: 'See your email address',
  connectedScopeAddress: 'See your postal address',
  connectedScopePhone: 'See your phone number',
  connectedScopeOffline: 'Keep access while you are away',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  connectedTitle: 'Verbundene Anwendungen',
  connectedIntro:
    'Sie haben diesen Anwendungen erlaubt, für Sie zu handeln. Trennen Sie, was Sie nicht mehr nutzen oder nicht kennen.',
  connectedEmptyTitle: 'Keine verbundenen Anwendungen',
  connectedEmpty:
    'Wenn Sie einer Anwendung erlauben, für Sie zu handeln, erscheint sie hier. Sie sehen, was sie darf, und können die Verbindung jederzeit trennen.',
  connectedCount: { one: '{count} Anwendung', other: '{count} Anwendungen' },
  connectedDeveloper: 'von {developer}',
  connectedPrivacy: 'Datenschutzerklärung',
  connectedMay: 'Sie darf:',
  connectedMayNothing: 'Sie darf zurzeit nichts.',
  connectedMore: { one: '{count} weitere', other: '{count} weitere' },
  connectedSensitive: 'Sensibel',
  connectedSince: 'Verbunden seit {date}',
  connectedLastUsed: 'zuletzt genutzt am {date}',
  connectedUnknown: 'Unbekannte Anwendung',
  connectedUnknownHint:
    'Die Anwendung {clientId} wurde gelöscht, ihr Name ist deshalb nicht mehr bekannt. Sie kann nicht mehr für Sie handeln. Trennen Sie die Verbindung, um sie aus dieser Liste zu entfernen.',
  connectedDisconnect: 'Trennen',
  connectedConfirm:
    '{name} trennen? Die Anwendung verliert sofort den Zugriff, und alles, wofür Sie sie nutzen, funktioniert nicht mehr. Um sie wieder zu verbinden, müssen Sie ihr den Zugriff erneut erlauben.',
  connectedDisconnected: '{name} ist getrennt und kann nicht mehr für Sie handeln.',
  connectedUnknownDisconnected: 'Die gelöschte Anwendung ist getrennt und kann nicht mehr für Sie handeln.',
  connectedScopeOpenid: 'Wissen, wer Sie sind',
  connectedScopeProfile: 'Ihr Profil sehen, zum Beispiel Name und Bild',
  connectedScopeEmail: 'Ihre E-Mail-Adresse sehen',
  connectedScopeAddress: 'Ihre Postanschrift sehen',
  connectedScopePhone: 'Ihre Telefonnummer sehen',
  connectedScopeOffline: 'Zugriff behalten, auch wenn Sie nicht da sind',
}

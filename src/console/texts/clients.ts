import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the lists of API keys and applications, of the form for a new one, and of new secrets. */
export const english = {
  doneRenamed: 'The new name is saved.',

  clientsStateActive: 'Active',
  clientsStateDisabled: 'Disabled',
  clientsStateNoProduct: 'No product yet',
  clientsStateNoSecret: 'No valid secret',
  clientsUsedLately: 'within the last hour',
  clientsColumnName: 'Name',
  clientsColumnProducts: 'Products',
  clientsColumnState: 'State',
  clientsColumnLastUsed: 'Last used',
  clientsColumnCreated: 'Created',

  clientsKeyListTitle: 'API keys',
  clientsAppListTitle: 'Applications',
  clientsKeyCreate: 'Create API key',
  clientsAppCreate: 'Create application',
  clientsKeyEmptyTitle: 'Call the API from your own program',
  clientsAppEmptyTitle: 'Build a service for other people',
  clientsKeyEmptyWhat:
    'An API key lets your own program, such as a script or a server, use the data of your account. You choose which operations it may call.',
  clientsAppEmptyWhat:
    'An application uses the data of other accounts, after their users have agreed to it. Users see its name and what it may do, and they can disconnect it at any time.',
  clientsKeyEmptyOther: 'Does your program need the data of other people?',
  clientsAppEmptyOther: 'Does your program need only the data of your own account?',
  clientsKeyEmptyOtherLink: 'Then create an application',
  clientsAppEmptyOtherLink: 'Then create an API key',

  clientsTrail: 'Pages above',
  clientsKeyNewTitle: 'New API key',
  clientsAppNewTitle: 'New application',
  clientsName: 'Name',
  clientsKeyNameHint:
    'Say which program uses the key, such as “Nightly export”. Only people with access to your account see it.',
  clientsAppNameHint:
    'Users read this name when they are asked to connect the application. Use the name of your service.',
  clientsProducts: 'Products',
  clientsProductsHint:
    'Choose what it may use. Open a product to leave out single operations: fewer operations do less harm if the secret leaks. You can change this later.',
  clientsProductsChoose: 'Choose at least one product.',
  clientsOnlyIfChosen: 'Only if the product is ticked',
  clientsProductsNone: 'There are no products yet. You can add them later.',
  clientsOperationCount: { one: '{count} operation', other: '{count} operations' },
  clientsBlockedCount: {
    one: '{count} operation needs a higher verification level of your account.',
    other: '{count} operations need a higher verification level of your account.',
  },
  clientsNeedsLevel:
    'Needs the level {needed}. Your account has {level}: the operation can be added, but not requested from users yet.',
  clientsSensitive: 'Sensitive',
  clientsRedirectUris: 'Redirect URIs (needed before users can connect)',
  clientsRedirectUrisHint:
    'One address in each line. After users agree, the browser returns to one of these addresses, which gets the authorization. So the addresses are compared character by character, without wildcards. They begin with https://, or with http://localhost while you develop.',

  clientsSecretCreated: '{name} is created',
  clientsSecretRotated: 'New secret of {name}',
  clientsSecretOnce: 'This is the only time you see the secret.',
  clientsSecretStore:
    'Store it now, for example in your password manager or in the configuration of your server. If you lose it, create a new one. Never put it into source code, apps or web pages.',
  clientsCredentials: 'Credentials',
  clientsClientId: 'Client ID',
  clientsClientSecret: 'Client secret',
  clientsKeySecretStored: 'I have stored it; go to the key',
  clientsAppSecretStored: 'I have stored it; go to the application',
  clientsOldSecretUntil: 'The old secret works until {time}. Give your programs the new one before that.',
  clientsOldSecretEnded: 'No older secret works any more. Give your programs the new one now.',
  clientsNextTitle: 'Next',
  clientsNextProduct: 'Choose a product on the next page. Without a product, nothing can be called.',
  clientsNextGuide:
    'When the secret is stored, the guide shows how users connect the application, and how it calls the API.',
  clientsTryTitle: 'Try it',
  clientsTryHint:
    'Paste the first block into a terminal on macOS or Linux. It asks for the secret, so that it does not get into the history of the shell: paste the secret from above, which stays invisible, and press Enter.',
  clientsTryToken: '1. Get a token',
  clientsTryCall: '2. Call the API with it',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  doneRenamed: 'Der neue Name ist gespeichert.',

  clientsStateActive: 'Aktiv',
  clientsStateDisabled: 'Deaktiviert',
  clientsStateNoProduct: 'Noch kein Produkt',
  clientsStateNoSecret: 'Kein gültiges Secret',
  clientsUsedLately: 'in der letzten Stunde',
  clientsColumnName: 'Name',
  clientsColumnProducts: 'Produkte',
  clientsColumnState: 'Status',
  clientsColumnLastUsed: 'Zuletzt genutzt',
  clientsColumnCreated: 'Erstellt',

  clientsKeyListTitle: 'API-Schlüssel',
  clientsAppListTitle: 'Anwendungen',
  clientsKeyCreate: 'API-Schlüssel erstellen',
  clientsAppCreate: 'Anwendung erstellen',
  clientsKeyEmptyTitle: 'Die API aus dem eigenen Programm aufrufen',
  clientsAppEmptyTitle: 'Einen Dienst für andere entwickeln',
  clientsKeyEmptyWhat:
    'Mit einem API-Schlüssel nutzt Ihr eigenes Programm, etwa ein Skript oder ein Server, die Daten Ihres Kontos. Sie bestimmen, welche Operationen es aufrufen darf.',
  clientsAppEmptyWhat:
    'Eine Anwendung nutzt die Daten anderer Konten, nachdem deren Nutzer zugestimmt haben. Die Nutzer sehen den Namen und was die Anwendung darf, und können die Verbindung jederzeit trennen.',
  clientsKeyEmptyOther: 'Braucht Ihr Programm die Daten anderer Personen?',
  clientsAppEmptyOther: 'Braucht Ihr Programm nur die Daten Ihres eigenen Kontos?',
  clientsKeyEmptyOtherLink: 'Dann erstellen Sie eine Anwendung',
  clientsAppEmptyOtherLink: 'Dann erstellen Sie einen API-Schlüssel',

  clientsTrail: 'Übergeordnete Seiten',
  clientsKeyNewTitle: 'Neuer API-Schlüssel',
  clientsAppNewTitle: 'Neue Anwendung',
  clientsName: 'Name',
  clientsKeyNameHint:
    'Welches Programm nutzt den Schlüssel? Zum Beispiel „Nächtlicher Export“. Nur Personen mit Zugang zu Ihrem Konto sehen den Namen.',
  clientsAppNameHint:
    'Nutzer lesen diesen Namen, wenn sie die Anwendung verbinden sollen. Nehmen Sie den Namen Ihres Dienstes.',
  clientsProducts: 'Produkte',
  clientsProductsHint:
    'Wählen Sie, was genutzt werden darf. In jedem Produkt können Sie einzelne Operationen weglassen: Je weniger, desto kleiner der Schaden, wenn das Secret in falsche Hände gerät. Sie können das später ändern.',
  clientsProductsChoose: 'Wählen Sie mindestens ein Produkt.',
  clientsOnlyIfChosen: 'Nur wenn das Produkt angekreuzt ist',
  clientsProductsNone: 'Es gibt noch keine Produkte. Sie können sie später hinzufügen.',
  clientsOperationCount: { one: '{count} Operation', other: '{count} Operationen' },
  clientsBlockedCount: {
    one: '{count} Operation erfordert eine höhere Prüfstufe Ihres Kontos.',
    other: '{count} Operationen erfordern eine höhere Prüfstufe Ihres Kontos.',
  },
  clientsNeedsLevel:
    'Erfordert die Stufe {needed}. Ihr Konto hat {level}: Die Operation kann hinzugefügt, aber noch nicht von Nutzern angefordert werden.',
  clientsSensitive: 'Sensibel',
  clientsRedirectUris: 'Redirect-URIs (nötig, bevor Nutzer verbinden können)',
  clientsRedirectUrisHint:
    'Eine Adresse pro Zeile. Nach der Zustimmung kehrt der Browser zu einer dieser Adressen zurück, und sie erhält die Autorisierung. Deshalb werden die Adressen Zeichen für Zeichen verglichen, ohne Platzhalter. Sie beginnen mit https:// oder während der Entwicklung mit http://localhost.',

  clientsSecretCreated: '{name} ist erstellt',
  clientsSecretRotated: 'Neues Secret von {name}',
  clientsSecretOnce: 'Sie sehen das Secret nur dieses eine Mal.',
  clientsSecretStore:
    'Speichern Sie es jetzt, zum Beispiel im Passwort-Manager oder in der Konfiguration Ihres Servers. Wenn Sie es verlieren, erstellen Sie ein neues. Schreiben Sie es nie in Quellcode, Apps oder Webseiten.',
  clientsCredentials: 'Zugangsdaten',
  clientsClientId: 'Client-ID',
  clientsClientSecret: 'Client-Secret',
  clientsKeySecretStored: 'Gespeichert; weiter zum Schlüssel',
  clientsAppSecretStored: 'Gespeichert; weiter zur Anwendung',
  clientsOldSecretUntil:
    'Das alte Secret gilt bis {time}. Stellen Sie Ihre Programme vorher auf das neue um.',
  clientsOldSecretEnded: 'Kein älteres Secret gilt mehr. Stellen Sie Ihre Programme jetzt auf das neue um.',
  clientsNextTitle: 'Wie es weitergeht',
  clientsNextProduct:
    'Wählen Sie auf der nächsten Seite ein Produkt. Ohne Produkt kann nichts aufgerufen werden.',
  clientsNextGuide:
    'Wenn das Secret gespeichert ist, zeigt die Anleitung, wie Nutzer die Anwendung verbinden und wie sie die API aufruft.',
  clientsTryTitle: 'Ausprobieren',
  clientsTryHint:
    'Fügen Sie den ersten Block unter macOS oder Linux in ein Terminal ein. Er fragt nach dem Secret, damit es nicht in den Verlauf der Shell gelangt: Fügen Sie das Secret von oben ein (es bleibt unsichtbar) und drücken Sie die Eingabetaste.',
  clientsTryToken: '1. Token holen',
  clientsTryCall: '2. API damit aufrufen',
}

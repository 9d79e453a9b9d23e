import type { PageText } from '../../http/pages/texts.ts'

/** The texts of API keys and applications: lists, new clients, and the page of one client. */
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
}

import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the start page of the console. */
export const english = {
  overviewStart: 'What do you want to do?',
  overviewLevel: 'Verification level: {level}',
  overviewLowestLevel: 'lowest',
  overviewKeysWhat: 'An API key lets your own program use the data of your account.',
  overviewKeysCreate: 'Create an API key',
  overviewApplicationsWhat: 'An application uses the data of other people, after they have agreed to it.',
  overviewApplicationsCreate: 'Create an application',
  overviewConnectedWhat: 'Applications of others that you have allowed to use your account.',
  overviewConnectedShow: 'Show connected applications',
  overviewCount: { one: '{count} in total', other: '{count} in total' } as PageText,
  overviewManyCount: { one: 'more than {count}', other: 'more than {count}' } as PageText,
  overviewShowAll: 'Show all',
  overviewActivity: 'Latest activity',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  overviewStart: 'Was möchten Sie tun?',
  overviewLevel: 'Verifizierungsstufe: {level}',
  overviewLowestLevel: 'niedrigste',
  overviewKeysWhat: 'Mit einem API-Schlüssel nutzt Ihr eigenes Programm die Daten Ihres Kontos.',
  overviewKeysCreate: 'API-Schlüssel erstellen',
  overviewApplicationsWhat:
    'Eine Anwendung nutzt die Daten anderer Personen, nachdem diese zugestimmt haben.',
  overviewApplicationsCreate: 'Anwendung erstellen',
  overviewConnectedWhat: 'Fremde Anwendungen, denen Sie Zugriff auf Ihr Konto erlaubt haben.',
  overviewConnectedShow: 'Verbundene Anwendungen anzeigen',
  overviewCount: { one: '{count} insgesamt', other: '{count} insgesamt' },
  overviewManyCount: { one: 'mehr als {count}', other: 'mehr als {count}' },
  overviewShowAll: 'Alle anzeigen',
  overviewActivity: 'Letzte Aktivität',
}

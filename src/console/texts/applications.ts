import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the settings of applications. */
export const english = {
  applicationSettingsTitle: 'Settings of {name}',
  doneSettingsSaved: 'The settings are saved. They apply at once.',
  appsTitle: 'Settings',
  appsPreviewLink: 'Preview the consent page',
  appsSignIn: 'Where users return to',
  appsRedirectUris: 'Redirect URIs',
  appsRedirectUrisHint:
    'One address in each line, at most 20. Your program must send exactly the same text, character by character, so wildcards are not possible. Write https://, or http://localhost while you develop. If you remove an address, sign-ins that use it fail; connected users stay connected.',
  appsPostLogout: 'Addresses after sign-out',
  appsPostLogoutHint:
    'Optional. One address in each line, with the same rules. Needed only if your application signs users out here.',
  appsAppearance: 'What users see',
  appsAppearanceHint: 'The consent page and the list of connected applications show these details.',
  appsNameHint: 'At most 120 characters. Choose the name by which users know the application.',
  appsHomepage: 'Home page',
  appsHomepageHint: 'Optional. Where users can read what the application does.',
  appsLogo: 'Logo',
  appsLogoHint:
    'Optional. The https:// address of a square picture, at least 128 × 128 pixels. PNG, SVG or WebP. Without it, users see the first letter of the name.',
  appsPrivacy: 'Privacy policy',
  appsPrivacyHint: 'Optional. The consent page links to it.',
  appsTerms: 'Terms of service',
  appsTermsHint: 'Optional. The consent page links to it.',
  appsChangedTitle: 'The settings were changed meanwhile',
  appsChanged:
    'Your form was not saved, because the application was changed in another tab or by another person. Below are the newer settings. These fields had other values in your form; change them again if that is still needed:',

  appsLevelTitle: 'Operations that need verification',
  appsLevelEnough:
    'Your account has the level “{level}”. It is enough for all operations of this application.',
  appsLevelBlocked:
    'Your account has the level “{level}”. Until it has a higher level, the application may not ask users for these operations, and no token includes them:',
  appsLevelOperation: 'Operation',
  appsLevelNeeded: 'Level that is needed',
  appsLevelRaise:
    'The level belongs to the developer’s account, not to its users. Verify your account to raise it; it applies to new requests at once.',

  appsPreviewWindow: 'Consent page of {name}',
  appsPreviewTitle: 'Preview of the consent page',
  appsPreviewIntro:
    'Users see this page before {name} may act for them, with everything that it may request now. A request for fewer scopes shows fewer lines. The buttons do nothing here.',
  appsPreviewChange: 'Change settings',
  appsPreviewTab: 'Open in a tab',
  appsPreviewNoRedirect:
    'Users cannot see this page yet, because there is no redirect URI. Add one in the settings.',
  appsPreviewNoProduct: 'The application has no product yet, so it can ask for no operations.',
  appsPreviewNotShown: {
    one: 'Not shown: {operations}. Your account has the level {level}; it needs {needed}.',
    other: 'Not shown: {operations}. Your account has the level {level}; they need {needed}.',
  },
  appsPreviewDisabled: 'The application is disabled. Users see an error instead of this page.',
  appsPreviewFirstParty: 'This application belongs to this service, so users are not asked for consent.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  applicationSettingsTitle: 'Einstellungen von {name}',
  doneSettingsSaved: 'Die Einstellungen sind gespeichert. Sie gelten sofort.',
  appsTitle: 'Einstellungen',
  appsPreviewLink: 'Vorschau der Zustimmungsseite',
  appsSignIn: 'Wohin Nutzer zurückkehren',
  appsRedirectUris: 'Redirect-URIs',
  appsRedirectUrisHint:
    'Eine Adresse pro Zeile, höchstens 20. Ihr Programm muss genau denselben Text senden, Zeichen für Zeichen; Platzhalter sind deshalb nicht möglich. Schreiben Sie https:// oder während der Entwicklung http://localhost. Wenn Sie eine Adresse entfernen, schlagen Anmeldungen damit fehl; verbundene Nutzer bleiben verbunden.',
  appsPostLogout: 'Adressen nach dem Abmelden',
  appsPostLogoutHint:
    'Optional. Eine Adresse pro Zeile, mit denselben Regeln. Nur nötig, wenn Ihre Anwendung Nutzer hier abmeldet.',
  appsAppearance: 'Was Nutzer sehen',
  appsAppearanceHint: 'Die Zustimmungsseite und die Liste der verbundenen Anwendungen zeigen diese Angaben.',
  appsNameHint: 'Höchstens 120 Zeichen. Wählen Sie den Namen, unter dem Nutzer die Anwendung kennen.',
  appsHomepage: 'Startseite',
  appsHomepageHint: 'Optional. Hier lesen Nutzer, was die Anwendung tut.',
  appsLogo: 'Logo',
  appsLogoHint:
    'Optional. Die https://-Adresse eines quadratischen Bilds, mindestens 128 × 128 Pixel. PNG, SVG oder WebP. Ohne Logo sehen Nutzer den ersten Buchstaben des Namens.',
  appsPrivacy: 'Datenschutzerklärung',
  appsPrivacyHint: 'Optional. Die Zustimmungsseite verlinkt sie.',
  appsTerms: 'Nutzungsbedingungen',
  appsTermsHint: 'Optional. Die Zustimmungsseite verlinkt sie.',
  appsChangedTitle: 'Die Einstellungen wurden inzwischen geändert',
  appsChanged:
    'Ihr Formular wurde nicht gespeichert, weil die Anwendung in einem anderen Tab oder von einer anderen Person geändert wurde. Unten stehen die neueren Einstellungen. Diese Felder hatten in Ihrem Formular andere Werte; ändern Sie sie erneut, falls das noch nötig ist:',

  appsLevelTitle: 'Operationen, die eine Verifizierung brauchen',
  appsLevelEnough: 'Ihr Konto hat die Stufe „{level}“. Sie reicht für alle Operationen dieser Anwendung.',
  appsLevelBlocked:
    'Ihr Konto hat die Stufe „{level}“. Bis es eine höhere hat, darf die Anwendung Nutzer nicht um diese Operationen bitten, und kein Token enthält sie:',
  appsLevelOperation: 'Operation',
  appsLevelNeeded: 'Nötige Stufe',
  appsLevelRaise:
    'Die Stufe gehört zum Konto des Entwicklers, nicht zu dessen Nutzern. Verifizieren Sie Ihr Konto, um sie zu erhöhen; das gilt sofort für neue Anfragen.',

  appsPreviewWindow: 'Zustimmungsseite von {name}',
  appsPreviewTitle: 'Vorschau der Zustimmungsseite',
  appsPreviewIntro:
    'Nutzer sehen diese Seite, bevor {name} für sie handeln darf, hier mit allem, worum die Anwendung jetzt bitten darf. Eine Anfrage mit weniger Scopes zeigt weniger Zeilen. Die Schaltflächen tun hier nichts.',
  appsPreviewChange: 'Einstellungen ändern',
  appsPreviewTab: 'In einem Tab öffnen',
  appsPreviewNoRedirect:
    'Nutzer sehen diese Seite noch nicht, weil es keine Redirect-URI gibt. Fügen Sie in den Einstellungen eine hinzu.',
  appsPreviewNoProduct: 'Die Anwendung hat noch kein Produkt und kann um keine Operation bitten.',
  appsPreviewNotShown: {
    one: 'Nicht gezeigt: {operations}. Ihr Konto hat die Stufe {level}; nötig ist {needed}.',
    other: 'Nicht gezeigt: {operations}. Ihr Konto hat die Stufe {level}; nötig ist {needed}.',
  },
  appsPreviewDisabled: 'Die Anwendung ist deaktiviert. Statt dieser Seite sehen Nutzer einen Fehler.',
  appsPreviewFirstParty:
    'Diese Anwendung gehört zu diesem Dienst. Nutzer werden nicht um Zustimmung gebeten.',
}

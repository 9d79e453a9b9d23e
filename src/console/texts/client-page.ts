import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the page of one API key or application. */
export const english = {
  doneProductAdded: 'The product is added. Programs can use it with their next token.',
  doneProductRemoved:
    'The product is removed. Tokens issued so far no longer work. Programs then need a new token; most get one by themselves after a 401.',
  doneOperationRemoved:
    'The operation is removed. Tokens issued so far no longer work. Programs then need a new token; most get one by themselves after a 401.',
  doneOperationRestored: 'The operation is restored. Programs can use it with their next token.',
  doneRotationUndone: 'The new secret is revoked. The old secret is valid again, without an end.',
  doneOldSecretRevoked: 'The old secret is revoked.',
  doneClientDisabled: 'It is disabled. Its tokens no longer work.',
  doneClientEnabled: 'It is enabled. Programs can get tokens again.',
  doneClientReported:
    'All its secrets and tokens are revoked. Create a new secret and give it to your programs.',
  doneClientDeleted: 'It is deleted, and its tokens no longer work.',

  clientsAbout: 'About',
  clientsKeyIsDisabled: 'This API key is disabled: it gets no tokens, and its tokens are rejected.',
  clientsAppIsDisabled: 'This application is disabled: it gets no tokens, and its tokens are rejected.',
  clientsNoRedirectUri: 'Users cannot connect this application yet, because it has no redirect URI.',

  clientsAccess: 'Access',
  clientsKeyAccessHint:
    'What the key may call. If you remove something, all tokens issued so far stop working at once. Programs then need a new token; most get one by themselves after a 401.',
  clientsAppAccessHint:
    'What the application may request from users. If you remove something, all tokens issued so far stop working at once. Programs then need a new token; most get one by themselves after a 401.',
  clientsKeyAccessNone: 'The key may call nothing yet. Add a product first.',
  clientsAppAccessNone: 'The application may request nothing yet. Add a product first.',
  clientsAllowed: 'Allowed',
  clientsLacksProduct: 'Product not added',
  clientsLacksOperation: 'Removed',
  clientsLacksLevel: 'Level too low',
  clientsLacksUser: 'Not allowed to its user',
  clientsLacksEnabled: 'Disabled',
  clientsRemove: 'Remove',
  clientsRestore: 'Restore',
  clientsAdd: 'Add',
  clientsRemoveProduct: 'Remove product',
  clientsRemoveProductConfirm: 'Remove {product}? All tokens issued so far stop working at once.',
  clientsRemoveOperationConfirm: 'Remove “{operation}”? All tokens issued so far stop working at once.',
  clientsProductWithdrawn: 'This product is no longer offered, so nothing of it can be called.',
  clientsAddProducts: 'Add a product',
  clientsAddHint: 'A product is added with all its operations. You can remove single operations afterwards.',
  clientsAddedAboveLevel:
    'Added, but users cannot be asked for it until your account has the level {needed}.',

  clientsSecrets: 'Secrets',
  clientsSecret: 'Client secret',
  clientsSecretNew: 'New secret',
  clientsSecretOld: 'Old secret',
  clientsSecretSince: 'Created {date} ({ago})',
  clientsSecretUntil: 'Works until {time} ({ago})',
  clientsSecretValid: 'Valid',
  clientsSecretExpires: 'Expires',
  clientsKeyNoSecret:
    'No secret is valid, because a secret was reported as leaked. Programs get no tokens with this key until you create a new secret and give it to them.',
  clientsAppNoSecret:
    'No secret is valid, because a secret was reported as leaked. The application gets no tokens until you create a new secret and give it to your servers.',
  clientsTwoSecrets:
    'Two secrets are valid. When all programs use the new one, revoke the old one. To create another secret, first revoke one of the two.',
  clientsRevokeOld: 'Revoke old secret',
  clientsRevokeNew: 'Undo: revoke new secret',
  clientsRevokeOldConfirm: 'Revoke the old secret? Programs that still use it get no tokens from then on.',
  clientsRevokeNewConfirm: 'Revoke the new secret? Programs that already use it get no tokens from then on.',
  clientsRotateTitle: 'Create a new secret',
  clientsRotate: 'Create new secret',
  clientsOverlap: 'How long does the present secret keep working?',
  clientsOverlapHint: 'Meanwhile both secrets work, so you can switch your programs one by one.',
  clientsOverlapNow: 'It stops at once. Programs get no tokens until they have the new secret.',
  clientsOverlapHour: '1 hour',
  clientsOverlapDay: '24 hours',
  clientsOverlapWeek: '7 days',

  clientsSettings: 'Settings',
  clientsMoreSettings: 'Redirect URIs, logo and links',
  clientsPreview: 'Preview of the consent page',
  clientsSetRedirectUri: 'Add a redirect URI',
  clientsChangeRedirectUris: 'Change redirect URIs',
  clientsMoreUris: { one: 'and {count} more', other: 'and {count} more' },

  clientsActivity: 'Activity',
  clientsActivityNone: 'Nothing has been changed yet.',
  clientsActivityAll: 'All activity of the account',

  clientsDanger: 'Danger zone',
  clientsKeyDisable: 'Disable this API key',
  clientsAppDisable: 'Disable this application',
  clientsDisable: 'Disable',
  clientsDisableHint: 'Its tokens stop working at once, and it gets no new ones. You can enable it again.',
  clientsDisableConfirm: 'Disable it? Programs that use it stop working at once.',
  clientsKeyEnable: 'Enable this API key',
  clientsAppEnable: 'Enable this application',
  clientsEnable: 'Enable',
  clientsEnableHint: 'Programs can get tokens again. Tokens from before stay invalid.',
  clientsLeaked: 'A secret leaked',
  clientsLeakedHint: 'Revokes all secrets and tokens at once, until you create a new secret.',
  clientsLeakedLink: 'Report a leak…',
  clientsKeyDelete: 'Delete this API key',
  clientsAppDelete: 'Delete this application',
  clientsDeleteHint: 'Programs that use it stop working at once, for good.',
  clientsDeleteLink: 'Delete…',

  clientsWhatHappens: 'What happens',
  clientsReportTitle: 'A secret of {name} leaked',
  clientsReportSecrets: 'All its secrets stop working at once.',
  clientsReportTokens: 'All access tokens issued so far stop working at once.',
  clientsReportNext: 'Programs get no tokens until you create a new secret and give it to them.',
  clientsReportUsers: 'Users stay connected, and need not agree again.',
  clientsReportButton: 'Revoke all secrets and tokens',

  clientsDeleteTitle: 'Delete {name}',
  clientsDeleteTokens: 'All its secrets and tokens stop working at once.',
  clientsKeyDeleteWhat: 'Every program that uses this key stops working.',
  clientsAppDeleteWhat: 'The application is disconnected from all its users.',
  clientsDeleteForever: 'This cannot be undone. The client ID is never used again.',
  clientsDeleteName: 'To confirm, type the name: {name}',
  clientsDeleteWrong: 'This is another name, so nothing was deleted. Type the name exactly as it is shown.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  doneProductAdded: 'Das Produkt ist hinzugefügt. Programme können es mit dem nächsten Token nutzen.',
  doneProductRemoved:
    'Das Produkt ist entfernt. Bisherige Tokens gelten nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  doneOperationRemoved:
    'Die Operation ist entfernt. Bisherige Tokens gelten nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  doneOperationRestored:
    'Die Operation ist wieder erlaubt. Programme können sie mit dem nächsten Token nutzen.',
  doneRotationUndone: 'Das neue Secret ist widerrufen. Das alte gilt wieder unbefristet.',
  doneOldSecretRevoked: 'Das alte Secret ist widerrufen.',
  doneClientDisabled: 'Der Zugang ist deaktiviert. Seine Tokens gelten nicht mehr.',
  doneClientEnabled: 'Der Zugang ist aktiviert. Programme können wieder Tokens holen.',
  doneClientReported:
    'Alle Secrets und Tokens sind widerrufen. Erstellen Sie ein neues Secret und stellen Sie Ihre Programme darauf um.',
  doneClientDeleted: 'Der Zugang ist gelöscht, und seine Tokens gelten nicht mehr.',

  clientsAbout: 'Überblick',
  clientsKeyIsDisabled:
    'Dieser API-Schlüssel ist deaktiviert: Er erhält keine Tokens, und seine Tokens werden abgelehnt.',
  clientsAppIsDisabled:
    'Diese Anwendung ist deaktiviert: Sie erhält keine Tokens, und ihre Tokens werden abgelehnt.',
  clientsNoRedirectUri:
    'Nutzer können diese Anwendung noch nicht verbinden, weil sie keine Redirect-URI hat.',

  clientsAccess: 'Zugriff',
  clientsKeyAccessHint:
    'Was der Schlüssel aufrufen darf. Wenn Sie etwas entfernen, gelten alle bisherigen Tokens sofort nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  clientsAppAccessHint:
    'Was die Anwendung von Nutzern anfordern darf. Wenn Sie etwas entfernen, gelten alle bisherigen Tokens sofort nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  clientsKeyAccessNone: 'Der Schlüssel darf noch nichts aufrufen. Fügen Sie zuerst ein Produkt hinzu.',
  clientsAppAccessNone: 'Die Anwendung darf noch nichts anfordern. Fügen Sie zuerst ein Produkt hinzu.',
  clientsAllowed: 'Erlaubt',
  clientsLacksProduct: 'Produkt fehlt',
  clientsLacksOperation: 'Entfernt',
  clientsLacksLevel: 'Stufe zu niedrig',
  clientsLacksUser: 'Person darf das nicht',
  clientsLacksEnabled: 'Deaktiviert',
  clientsRemove: 'Entfernen',
  clientsRestore: 'Wieder erlauben',
  clientsAdd: 'Hinzufügen',
  clientsRemoveProduct: 'Produkt entfernen',
  clientsRemoveProductConfirm: '{product} entfernen? Alle bisherigen Tokens gelten sofort nicht mehr.',
  clientsRemoveOperationConfirm: '„{operation}“ entfernen? Alle bisherigen Tokens gelten sofort nicht mehr.',
  clientsProductWithdrawn: 'Dieses Produkt wird nicht mehr angeboten und kann nicht aufgerufen werden.',
  clientsAddProducts: 'Produkt hinzufügen',
  clientsAddHint:
    'Ein Produkt wird mit allen Operationen hinzugefügt. Einzelne Operationen können Sie danach entfernen.',
  clientsAddedAboveLevel:
    'Hinzugefügt, aber Nutzer können erst darum gebeten werden, wenn Ihr Konto die Stufe {needed} hat.',

  clientsSecrets: 'Secrets',
  clientsSecret: 'Client-Secret',
  clientsSecretNew: 'Neues Secret',
  clientsSecretOld: 'Altes Secret',
  clientsSecretSince: 'Erstellt am {date} ({ago})',
  clientsSecretUntil: 'Gilt bis {time} ({ago})',
  clientsSecretValid: 'Gültig',
  clientsSecretExpires: 'Läuft ab',
  clientsKeyNoSecret:
    'Kein Secret ist gültig, weil ein Leck gemeldet wurde. Programme erhalten mit diesem Schlüssel keine Tokens, bis Sie ein neues Secret erstellen und verteilen.',
  clientsAppNoSecret:
    'Kein Secret ist gültig, weil ein Leck gemeldet wurde. Die Anwendung erhält keine Tokens, bis Sie ein neues Secret erstellen und auf Ihren Servern eintragen.',
  clientsTwoSecrets:
    'Zwei Secrets sind gültig. Sobald alle Programme das neue nutzen, widerrufen Sie das alte. Für ein weiteres Secret müssen Sie zuerst eines der beiden widerrufen.',
  clientsRevokeOld: 'Altes Secret widerrufen',
  clientsRevokeNew: 'Rückgängig: neues widerrufen',
  clientsRevokeOldConfirm:
    'Altes Secret widerrufen? Programme, die es noch nutzen, erhalten dann keine Tokens mehr.',
  clientsRevokeNewConfirm:
    'Neues Secret widerrufen? Programme, die es schon nutzen, erhalten dann keine Tokens mehr.',
  clientsRotateTitle: 'Neues Secret erstellen',
  clientsRotate: 'Neues Secret erstellen',
  clientsOverlap: 'Wie lange soll das jetzige Secret noch gelten?',
  clientsOverlapHint: 'Solange gelten beide, und Sie können Ihre Programme nacheinander umstellen.',
  clientsOverlapNow: 'Es endet sofort. Programme erhalten keine Tokens, bis sie das neue Secret haben.',
  clientsOverlapHour: '1 Stunde',
  clientsOverlapDay: '24 Stunden',
  clientsOverlapWeek: '7 Tage',

  clientsSettings: 'Einstellungen',
  clientsMoreSettings: 'Redirect-URIs, Logo und Links',
  clientsPreview: 'Vorschau der Zustimmungsseite',
  clientsSetRedirectUri: 'Redirect-URI eintragen',
  clientsChangeRedirectUris: 'Redirect-URIs ändern',
  clientsMoreUris: { one: 'und {count} weitere', other: 'und {count} weitere' },

  clientsActivity: 'Aktivität',
  clientsActivityNone: 'Es wurde noch nichts geändert.',
  clientsActivityAll: 'Alle Aktivitäten des Kontos',

  clientsDanger: 'Gefahrenbereich',
  clientsKeyDisable: 'API-Schlüssel deaktivieren',
  clientsAppDisable: 'Anwendung deaktivieren',
  clientsDisable: 'Deaktivieren',
  clientsDisableHint:
    'Die Tokens gelten sofort nicht mehr, und es gibt keine neuen. Sie können das rückgängig machen.',
  clientsDisableConfirm: 'Deaktivieren? Programme, die den Zugang nutzen, funktionieren sofort nicht mehr.',
  clientsKeyEnable: 'API-Schlüssel aktivieren',
  clientsAppEnable: 'Anwendung aktivieren',
  clientsEnable: 'Aktivieren',
  clientsEnableHint: 'Programme können wieder Tokens holen. Frühere Tokens bleiben ungültig.',
  clientsLeaked: 'Ein Secret ist in falsche Hände geraten',
  clientsLeakedHint: 'Widerruft sofort alle Secrets und Tokens, bis Sie ein neues Secret erstellen.',
  clientsLeakedLink: 'Leck melden …',
  clientsKeyDelete: 'API-Schlüssel löschen',
  clientsAppDelete: 'Anwendung löschen',
  clientsDeleteHint: 'Programme, die den Zugang nutzen, funktionieren sofort und endgültig nicht mehr.',
  clientsDeleteLink: 'Löschen …',

  clientsWhatHappens: 'Was passiert',
  clientsReportTitle: 'Leck melden: {name}',
  clientsReportSecrets: 'Alle Secrets gelten sofort nicht mehr.',
  clientsReportTokens: 'Alle bisherigen Tokens gelten sofort nicht mehr.',
  clientsReportNext: 'Programme erhalten keine Tokens, bis Sie ein neues Secret erstellen und verteilen.',
  clientsReportUsers: 'Nutzer bleiben verbunden und müssen nicht erneut zustimmen.',
  clientsReportButton: 'Alle Secrets und Tokens widerrufen',

  clientsDeleteTitle: '{name} löschen',
  clientsDeleteTokens: 'Alle Secrets und Tokens gelten sofort nicht mehr.',
  clientsKeyDeleteWhat: 'Jedes Programm mit diesem Schlüssel funktioniert nicht mehr.',
  clientsAppDeleteWhat: 'Die Anwendung wird von allen Nutzern getrennt.',
  clientsDeleteForever: 'Das lässt sich nicht rückgängig machen. Die Client-ID wird nie wieder vergeben.',
  clientsDeleteName: 'Geben Sie zur Bestätigung den Namen ein: {name}',
  clientsDeleteWrong:
    'Das ist ein anderer Name, deshalb wurde nichts gelöscht. Geben Sie den Namen genau so ein, wie er angezeigt wird.',
}

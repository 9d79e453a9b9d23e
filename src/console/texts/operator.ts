import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the search and of the pages of one client or account, for operators. */
export const english = {
  operatorTitle: 'Operator',
  operatorNav: 'Pages of operators',
  operatorNavSearch: 'Search',
  operatorNavKeys: 'Signing keys',
  operatorNavHealth: 'Health',
  operatorNavAudit: 'Audit trail',

  operatorSearchTitle: 'Find a client or an account',
  operatorSearchField: 'Client ID or account ID',
  operatorSearchHint: 'The exact id. For a user of an account, write account/user.',
  operatorSearchButton: 'Find',
  operatorSearchNone: 'There is no client and no account with exactly this id.',
  operatorSearchNoneAccount: 'Open it as an account nevertheless',
  operatorSearchNoneWhy:
    'If the account was deleted, its API keys, applications and connections may still exist.',
  operatorMore: 'Details',

  operatorClientId: 'Client ID',
  operatorAccount: 'Account',
  operatorUser: 'User',
  operatorCreated: 'Created',
  operatorLastUsed: 'Last used',
  operatorProducts: 'Products',
  operatorRemoved: 'Removed operations',
  operatorRedirects: 'Redirect URIs',
  operatorMarks: 'Marks',
  operatorFirstParty: 'own application of the service, without a consent page',
  operatorResourceServer: 'key of an API (resource server)',
  operatorDeleted: 'Deleted',
  operatorDeletedText:
    'This API key or application was deleted. Its tokens are rejected, and its id is never used again.',
  operatorSearchNoneClient: 'Open it as a client',
  operatorTrailTitle: 'Latest activity',
  operatorTrailEmpty: 'There are no entries, or they are older than the audit trail keeps them.',
  operatorTrailLink: 'Show all',
  operatorActions: 'Actions',

  operatorDisableTitle: 'Disable it',
  operatorDisable: 'Disable',
  operatorDisableText:
    'Its present tokens are rejected at once, and it gets no new ones until it is enabled again. Its owner can enable it too.',
  operatorDisableConfirm:
    'Disable it? All programs that use it stop working at once. Its owner can enable it too.',
  operatorEnableTitle: 'Enable it',
  operatorEnable: 'Enable',
  operatorEnableText: 'It gets tokens again with the same secret. Tokens from before stay rejected.',
  operatorRevokeTokensTitle: 'Revoke its tokens',
  operatorRevokeTokens: 'Revoke tokens',
  operatorRevokeTokensText:
    'All its present tokens are rejected. Its secret stays valid, so it can get new ones.',
  operatorRevokeTokensConfirm: 'Revoke all present tokens?',
  operatorCompromisedTitle: 'A secret leaked',
  operatorCompromised: 'Report as leaked',
  operatorCompromisedText:
    'All its secrets and tokens are revoked. It stops working until its owner creates a new secret.',
  operatorCompromisedConfirm:
    'Revoke all secrets and tokens? It stops working until a new secret is created.',
  doneOperatorDisabled:
    'It is disabled, and its tokens are rejected, until it is enabled again. Its owner can enable it too.',
  doneOperatorEnabled: 'It is enabled.',
  doneOperatorRevoked: 'Its tokens are rejected.',
  doneOperatorCompromised: 'All its secrets and tokens are revoked. Tell the owner to create a new secret.',

  operatorAccountTitle: 'Account {account}',
  operatorUserTitle: 'User {user} of account {account}',
  operatorUnknownAccount: 'The host does not know it',
  operatorUnknownAccountText:
    'It gets no new tokens. What belonged to it may still exist: revoke everything if it was deleted.',
  operatorLevel: 'Verification level',
  operatorNoLevel: 'lowest',
  operatorName: 'Name',
  operatorKind: 'Kind',
  operatorState: 'State',
  operatorClients: 'API keys and applications',
  operatorNoClients: 'There are none.',
  operatorConnections: 'Connected applications',
  operatorNoConnections: 'No application is connected.',
  operatorApplication: 'Application',
  operatorSince: 'Since',
  operatorOperations: 'Operations',
  operatorFirstOnly: {
    one: 'Only the first is shown.',
    other: 'Only the first {count} of each kind are shown.',
  } as PageText,
  operatorPartly: 'Some records of this account are corrupt',
  operatorBack: 'Back',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  operatorTitle: 'Betrieb',
  operatorNav: 'Seiten des Betriebs',
  operatorNavSearch: 'Suche',
  operatorNavKeys: 'Signaturschlüssel',
  operatorNavHealth: 'Zustand',
  operatorNavAudit: 'Protokoll',

  operatorSearchTitle: 'Client oder Konto finden',
  operatorSearchField: 'Client-ID oder Konto-ID',
  operatorSearchHint: 'Die genaue Id. Für eine Person in einem Konto: Konto/Person.',
  operatorSearchButton: 'Suchen',
  operatorSearchNone: 'Es gibt weder einen Client noch ein Konto mit genau dieser Id.',
  operatorSearchNoneAccount: 'Trotzdem als Konto öffnen',
  operatorSearchNoneWhy:
    'Falls das Konto gelöscht wurde, gibt es seine API-Schlüssel, Anwendungen und Verbindungen vielleicht noch.',
  operatorMore: 'Einzelheiten',

  operatorClientId: 'Client-ID',
  operatorAccount: 'Konto',
  operatorUser: 'Person',
  operatorCreated: 'Erstellt',
  operatorLastUsed: 'Zuletzt benutzt',
  operatorProducts: 'Produkte',
  operatorRemoved: 'Entfernte Operationen',
  operatorRedirects: 'Redirect-Adressen',
  operatorMarks: 'Merkmale',
  operatorFirstParty: 'eigene Anwendung des Dienstes, ohne Zustimmungsseite',
  operatorResourceServer: 'Schlüssel einer API (Resource-Server)',
  operatorDeleted: 'Gelöscht',
  operatorDeletedText:
    'Dieser API-Schlüssel oder diese Anwendung wurde gelöscht. Die Tokens werden abgelehnt, und die Id wird nie wieder benutzt.',
  operatorSearchNoneClient: 'Als Client öffnen',
  operatorTrailTitle: 'Letzte Aktivität',
  operatorTrailEmpty: 'Es gibt keine Einträge, oder sie sind älter, als das Protokoll sie aufbewahrt.',
  operatorTrailLink: 'Alle anzeigen',
  operatorActions: 'Aktionen',

  operatorDisableTitle: 'Zugang deaktivieren',
  operatorDisable: 'Deaktivieren',
  operatorDisableText:
    'Die jetzigen Tokens werden sofort abgelehnt. Neue gibt es erst, wenn wieder aktiviert wird. Das kann auch der Inhaber.',
  operatorDisableConfirm:
    'Deaktivieren? Alle Programme, die ihn benutzen, funktionieren sofort nicht mehr. Auch der Inhaber kann wieder aktivieren.',
  operatorEnableTitle: 'Zugang aktivieren',
  operatorEnable: 'Aktivieren',
  operatorEnableText: 'Mit demselben Secret gibt es wieder Tokens. Frühere Tokens bleiben abgelehnt.',
  operatorRevokeTokensTitle: 'Seine Tokens widerrufen',
  operatorRevokeTokens: 'Tokens widerrufen',
  operatorRevokeTokensText:
    'Alle jetzigen Tokens werden abgelehnt. Das Secret bleibt gültig, neue Tokens sind möglich.',
  operatorRevokeTokensConfirm: 'Alle jetzigen Tokens widerrufen?',
  operatorCompromisedTitle: 'Ein Secret ist in falsche Hände geraten',
  operatorCompromised: 'Leck melden',
  operatorCompromisedText:
    'Alle Secrets und Tokens werden widerrufen. Nichts funktioniert, bis der Inhaber ein neues Secret erstellt.',
  operatorCompromisedConfirm:
    'Alle Secrets und Tokens widerrufen? Bis zu einem neuen Secret funktioniert nichts mehr.',
  doneOperatorDisabled:
    'Deaktiviert: Tokens werden abgelehnt, bis wieder aktiviert wird. Das kann auch der Inhaber.',
  doneOperatorEnabled: 'Aktiviert.',
  doneOperatorRevoked: 'Die Tokens werden abgelehnt.',
  doneOperatorCompromised:
    'Alle Secrets und Tokens sind widerrufen. Bitten Sie den Inhaber, ein neues Secret zu erstellen.',

  operatorAccountTitle: 'Konto {account}',
  operatorUserTitle: 'Person {user} im Konto {account}',
  operatorUnknownAccount: 'Dem Host unbekannt',
  operatorUnknownAccountText:
    'Es gibt keine neuen Tokens. Was dazu gehörte, kann noch bestehen: Widerrufen Sie alles, falls es gelöscht wurde.',
  operatorLevel: 'Verifizierungsstufe',
  operatorNoLevel: 'niedrigste',
  operatorName: 'Name',
  operatorKind: 'Art',
  operatorState: 'Status',
  operatorClients: 'API-Schlüssel und Anwendungen',
  operatorNoClients: 'Es gibt keine.',
  operatorConnections: 'Verbundene Anwendungen',
  operatorNoConnections: 'Keine Anwendung ist verbunden.',
  operatorApplication: 'Anwendung',
  operatorSince: 'Seit',
  operatorOperations: 'Operationen',
  operatorFirstOnly: {
    one: 'Nur der erste Eintrag wird angezeigt.',
    other: 'Nur die ersten {count} jeder Art werden angezeigt.',
  },
  operatorPartly: 'Manche Datensätze dieses Kontos sind beschädigt',
  operatorBack: 'Zurück',
}

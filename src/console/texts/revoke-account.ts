import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the pages on which an operator revokes everything of an account or user. */
export const english = {
  operatorRevokeAll: 'Revoke all tokens and connections',
  operatorRevokeAccountLink: 'Revoke everything of this account…',
  operatorRevokeUserLink: 'Revoke everything of this user…',
  operatorRevokeAllText:
    'For an account that was taken over or deleted. All tokens are rejected at once, and all applications are disconnected. You can end all secrets too.',

  operatorRevokeAllTitle: 'Revoke all tokens and connections of account {account}?',
  operatorRevokeUserTitle: 'Revoke all tokens and connections of user {user} of account {account}?',
  operatorRevokeHits: 'What this hits',
  operatorKeys: { one: '{count} API key', other: '{count} API keys' } as PageText,
  operatorApplications: { one: '{count} application', other: '{count} applications' } as PageText,
  operatorGrants: { one: '{count} connection', other: '{count} connections' } as PageText,
  operatorMoreKeys: { one: 'more than {count} API key', other: 'more than {count} API keys' } as PageText,
  operatorMoreApplications: {
    one: 'more than {count} application',
    other: 'more than {count} applications',
  } as PageText,
  operatorMoreGrants: {
    one: 'more than {count} connection',
    other: 'more than {count} connections',
  } as PageText,
  operatorRevokeKeysText: 'Their present tokens are rejected at once.',
  operatorRevokeApplicationsText:
    'All tokens that users gave to them are rejected. The users stay connected, so the applications can get new tokens.',
  operatorRevokeGrantsText: 'The applications are disconnected. Each must ask again for the authorization.',
  operatorRevokeNothing: 'Nothing at present: there are no API keys, no applications and no connections.',
  operatorRevokeNot: 'What does not end',
  operatorRevokeSecrets:
    'API keys and applications can get new tokens with their secrets, unless they are disabled or reported as leaked.',
  operatorRevokeSession:
    'The sign-in at your own website does not end. The person can connect applications again. End the sign-in there.',
  operatorEndSecrets: 'Also end all secrets (report all API keys and applications as leaked)',
  operatorEndSecretsHint: 'Nothing gets a new token until its owner creates a new secret.',
  operatorRevokeAllButton: 'Revoke all tokens and connections',
  operatorRevokedTitle: 'All tokens and connections are revoked',
  operatorRevokedNothing: 'There was nothing to revoke: no API keys, no applications and no connections.',
  operatorRevokedClients: {
    one: 'The tokens of {count} API key or application are rejected.',
    other: 'The tokens of {count} API keys and applications are rejected.',
  } as PageText,
  operatorRevokedGrants: {
    one: '{count} connection has ended.',
    other: '{count} connections have ended.',
  } as PageText,
  operatorEndedSecrets: {
    one: '{count} API key or application was reported as leaked. All its secrets have ended.',
    other: '{count} API keys and applications were reported as leaked. All their secrets have ended.',
  } as PageText,
  operatorStillTitle: 'What can still get tokens',
  operatorStillText:
    'These can get new tokens with their secrets. Open a page to disable one, or to report it as leaked.',
  operatorStillMore: 'Only the first {count} are shown. The page of the account has the others.',
  operatorStillNone: 'No API key and no application of this owner can get new tokens.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  operatorRevokeAll: 'Alle Tokens und Verbindungen widerrufen',
  operatorRevokeAccountLink: 'Alles dieses Kontos widerrufen …',
  operatorRevokeUserLink: 'Alles dieser Person widerrufen …',
  operatorRevokeAllText:
    'Für ein übernommenes oder gelöschtes Konto. Alle Tokens werden sofort abgelehnt und alle Verbindungen getrennt. Auf Wunsch enden auch alle Secrets.',

  operatorRevokeAllTitle: 'Alle Tokens und Verbindungen des Kontos {account} widerrufen?',
  operatorRevokeUserTitle: 'Alle Tokens und Verbindungen der Person {user} im Konto {account} widerrufen?',
  operatorRevokeHits: 'Was das trifft',
  operatorKeys: { one: '{count} API-Schlüssel', other: '{count} API-Schlüssel' },
  operatorApplications: { one: '{count} Anwendung', other: '{count} Anwendungen' },
  operatorGrants: { one: '{count} Verbindung', other: '{count} Verbindungen' },
  operatorMoreKeys: { one: 'mehr als {count} API-Schlüssel', other: 'mehr als {count} API-Schlüssel' },
  operatorMoreApplications: { one: 'mehr als {count} Anwendung', other: 'mehr als {count} Anwendungen' },
  operatorMoreGrants: { one: 'mehr als {count} Verbindung', other: 'mehr als {count} Verbindungen' },
  operatorRevokeKeysText: 'Die jetzigen Tokens werden sofort abgelehnt.',
  operatorRevokeApplicationsText:
    'Alle Tokens, die sie von anderen haben, werden abgelehnt. Die Verbindungen bleiben, neue Tokens sind möglich.',
  operatorRevokeGrantsText: 'Die Verbindungen werden getrennt. Jede Anwendung muss neu um Zustimmung bitten.',
  operatorRevokeNothing: 'Derzeit nichts: Es gibt keine API-Schlüssel, Anwendungen und Verbindungen.',
  operatorRevokeNot: 'Was nicht endet',
  operatorRevokeSecrets:
    'API-Schlüssel und Anwendungen können mit ihren Secrets neue Tokens bekommen, wenn sie nicht deaktiviert sind und kein Leck gemeldet ist.',
  operatorRevokeSession:
    'Die Anmeldung auf Ihrer eigenen Website endet nicht. Die Person kann Anwendungen wieder verbinden. Beenden Sie die Anmeldung dort.',
  operatorEndSecrets: 'Auch alle Secrets beenden (für alle API-Schlüssel und Anwendungen ein Leck melden)',
  operatorEndSecretsHint: 'Bis zu einem neuen Secret gibt es keine neuen Tokens.',
  operatorRevokeAllButton: 'Alle Tokens und Verbindungen widerrufen',
  operatorRevokedTitle: 'Alle Tokens und Verbindungen sind widerrufen',
  operatorRevokedNothing:
    'Es gab nichts zu widerrufen: keine API-Schlüssel, keine Anwendungen, keine Verbindungen.',
  operatorRevokedClients: {
    one: 'Die Tokens von {count} API-Schlüssel oder Anwendung werden abgelehnt.',
    other: 'Die Tokens von {count} API-Schlüsseln und Anwendungen werden abgelehnt.',
  },
  operatorRevokedGrants: {
    one: '{count} Verbindung ist getrennt.',
    other: '{count} Verbindungen sind getrennt.',
  },
  operatorEndedSecrets: {
    one: 'Für {count} API-Schlüssel oder Anwendung ist ein Leck gemeldet. Alle Secrets sind beendet.',
    other: 'Für {count} API-Schlüssel und Anwendungen ist ein Leck gemeldet. Alle Secrets sind beendet.',
  },
  operatorStillTitle: 'Was noch Tokens bekommen kann',
  operatorStillText:
    'Diese können mit ihren Secrets neue Tokens bekommen. Auf der Seite können Sie deaktivieren oder ein Leck melden.',
  operatorStillMore: 'Nur die ersten {count} werden angezeigt. Die übrigen stehen auf der Seite des Kontos.',
  operatorStillNone: 'Kein API-Schlüssel und keine Anwendung kann neue Tokens bekommen.',
}

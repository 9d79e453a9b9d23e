import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the token inspector. */
export const english = {
  inspectorTitle: 'Token inspector',
  inspectorIntro:
    'Paste an access token to see whether it works, why not, and what it may do. You can inspect the tokens of your own API keys and applications.',
  inspectorIntroOperator:
    'Paste an access token to see whether it works, why not, and what it may do. As an operator you can inspect every token of this service.',
  inspectorField: 'Access token',
  inspectorHint:
    'The text after “Bearer” in the Authorization header. It is checked here and neither stored nor logged.',
  inspectorButton: 'Inspect',
  inspectorAnother: 'Inspect another token',

  inspectorEmpty: 'Paste a token first.',
  inspectorTooLong:
    'This text is too long for an access token. Access tokens have at most 16,384 characters.',
  inspectorEncrypted: 'This token is encrypted. Access tokens of this service are signed, and not encrypted.',
  inspectorNotJwt:
    'This is not an access token. An access token is a JWT: three parts of letters, digits, “-” and “_”, with dots between them. Refresh tokens, codes and client secrets are not JWTs and cannot be inspected.',
  inspectorForeign:
    'This is not a token of one of your API keys or applications, so nothing about it is shown.',

  inspectorValid: 'This token works.',
  inspectorValidText: 'It is valid until {time} ({ago}).',
  inspectorValidEnd:
    'To end it before it expires: disable the client, remove an operation, or send the token to the revocation endpoint {address}.',
  inspectorExpired: 'This token has expired.',
  inspectorExpiredText:
    'It was valid until {time} ({ago}). Its signature is right. Get a new token with the client secret or the refresh token.',
  inspectorRevoked: 'This token has been revoked.',
  inspectorRevokedToken: 'The token itself was revoked. Get a new one.',
  inspectorRevokedGrant:
    'The authorization behind it has ended: the user disconnected the application, or a code or refresh token was used twice. Ask the user to authorize the application again.',
  inspectorRevokedKey:
    'The key that signed it was revoked, because it may have leaked. Get a new token; it is signed with another key.',
  inspectorRevokedDeleted: 'The API key or application was deleted.',
  inspectorRevokedDisabled:
    'The API key or application is disabled. When it is enabled again, get a new token.',
  inspectorRevokedAccess:
    'A product or an operation was removed from the API key or application: {list}. All tokens from before were revoked. Get a new token.',
  inspectorRevokedClient:
    'All tokens of the API key or application from before were revoked: its access was changed, its tokens were revoked, or it was reported as leaked. Get a new token.',
  inspectorRevokedGrantScopes:
    'The user of the application may no longer use these operations: {list}. Refresh the token to get one without them.',
  inspectorRevokedScopes:
    'The account or user that owns the client may no longer use these operations: {list}. Get a new token without them.',
  inspectorRevokedOperation:
    'The service no longer has these operations, or has changed them: {list}. Get a new token.',
  inspectorNotAccessToken: 'This is not an access token.',
  inspectorNotAccessTokenText:
    'It is a JWT of another type, such as an ID token. APIs accept access tokens only (typ is at+jwt).',
  inspectorUnsigned: 'This token is not signed.',
  inspectorUnsignedText: 'Anyone can write such a token, so every API rejects it.',
  inspectorOtherIssuer: 'This token comes from another service.',
  inspectorOtherIssuerText: 'Its issuer (iss) is not {issuer}. This API rejects it.',
  inspectorOtherAudience: 'This token is for another API.',
  inspectorOtherAudienceText: 'Its audience (aud) is not {audience}. Request a token for this API.',
  inspectorWrongSignature: 'The signature of this token is wrong.',
  inspectorWrongSignatureText:
    'The token was changed, or it was not copied completely. Nothing that it says can be trusted.',
  inspectorUnknownKey: 'The signature of this token cannot be checked.',
  inspectorUnknownKeyText:
    'The service does not have the key that the token names (kid): the key was replaced long ago, or the token is not from this service. Nothing that it says can be trusted.',
  inspectorRejected: 'APIs reject this token.',
  inspectorMalformed: 'It is not a complete JWT. It may not have been copied completely.',
  inspectorNoKeyId: 'Its header does not name the key that signed it (kid).',
  inspectorWrongAlgorithm: 'It is not signed with ES256, the algorithm of this service.',
  inspectorNotValidYet: 'It is not valid yet (nbf). Use it later, or check the clock of its issuer.',
  inspectorMissingClaim: 'The claim {claim} is missing, or has a wrong type.',
  inspectorWrongClaim: 'The claim {claim} has a wrong value.',
  inspectorBoundToKey: 'It is bound to a key (cnf), and this API accepts no proof of that key.',

  inspectorFacts: 'The token',
  inspectorClient: 'Issued to',
  inspectorMode: 'Acts for',
  inspectorModeDirect: 'the account {account}, which owns the API key',
  inspectorModeDelegated: 'the user {account}, who authorized the application',
  inspectorIssued: 'Issued',
  inspectorExpires: 'Expires',
  inspectorKey: 'Signed with key',
  inspectorTokenId: 'Token id',
  inspectorOperations: 'What it may do',
  inspectorOperationsFormer: 'What it names',
  inspectorNoOperations: 'The token carries no operation, so no call of the API is allowed.',
  inspectorBelow: 'All paths are below {address}.',
  inspectorOperation: 'Operation',
  inspectorCall: 'Call',
  inspectorOtherScopes: 'Other scopes',
  inspectorOtherScopesText: 'No operation of this service has these scopes: {list}',
  inspectorRaw: 'Header and claims',
  inspectorHeader: 'Header',
  inspectorClaims: 'Claims',
  inspectorUntrusted: 'Nothing of this is verified.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  inspectorTitle: 'Token-Prüfer',
  inspectorIntro:
    'Fügen Sie ein Zugriffstoken ein, um zu sehen, ob es gilt, warum nicht und was es darf. Sie können Tokens Ihrer eigenen API-Schlüssel und Anwendungen prüfen.',
  inspectorIntroOperator:
    'Fügen Sie ein Zugriffstoken ein, um zu sehen, ob es gilt, warum nicht und was es darf. Im Betrieb können Sie jedes Token dieses Dienstes prüfen.',
  inspectorField: 'Zugriffstoken',
  inspectorHint:
    'Der Text nach „Bearer“ im Authorization-Header. Er wird hier geprüft und weder gespeichert noch protokolliert.',
  inspectorButton: 'Prüfen',
  inspectorAnother: 'Ein anderes Token prüfen',

  inspectorEmpty: 'Fügen Sie zuerst ein Token ein.',
  inspectorTooLong:
    'Dieser Text ist zu lang für ein Zugriffstoken. Zugriffstokens haben höchstens 16.384 Zeichen.',
  inspectorEncrypted:
    'Dieses Token ist verschlüsselt. Zugriffstokens dieses Dienstes sind signiert und nicht verschlüsselt.',
  inspectorNotJwt:
    'Das ist kein Zugriffstoken. Ein Zugriffstoken ist ein JWT: drei Teile aus Buchstaben, Ziffern, „-“ und „_“, mit Punkten dazwischen. Refresh-Tokens, Codes und Secrets sind keine JWTs und können nicht geprüft werden.',
  inspectorForeign:
    'Das ist kein Token eines Ihrer API-Schlüssel oder einer Ihrer Anwendungen. Deshalb wird nichts darüber gezeigt.',

  inspectorValid: 'Dieses Token gilt.',
  inspectorValidText: 'Es gilt bis {time} ({ago}).',
  inspectorValidEnd:
    'Um es vorher zu beenden: Deaktivieren Sie den Client, entfernen Sie eine Operation, oder senden Sie das Token an den Widerrufsendpunkt {address}.',
  inspectorExpired: 'Dieses Token ist abgelaufen.',
  inspectorExpiredText:
    'Es galt bis {time} ({ago}). Seine Signatur stimmt. Holen Sie mit dem Secret oder dem Refresh-Token ein neues.',
  inspectorRevoked: 'Dieses Token wurde widerrufen.',
  inspectorRevokedToken: 'Das Token selbst wurde widerrufen. Holen Sie ein neues.',
  inspectorRevokedGrant:
    'Die Verbindung dahinter ist beendet: Die Person hat die Verbindung getrennt, oder ein Code oder Refresh-Token wurde zweimal benutzt. Bitten Sie die Person, die Anwendung neu zu verbinden.',
  inspectorRevokedKey:
    'Der Schlüssel, der es signiert hat, wurde widerrufen, vielleicht wegen eines Lecks. Holen Sie ein neues Token; es wird mit einem anderen Schlüssel signiert.',
  inspectorRevokedDeleted: 'Der API-Schlüssel oder die Anwendung wurde gelöscht.',
  inspectorRevokedDisabled:
    'Der API-Schlüssel oder die Anwendung ist deaktiviert. Holen Sie nach dem Aktivieren ein neues Token.',
  inspectorRevokedAccess:
    'Dem API-Schlüssel oder der Anwendung wurde ein Produkt oder eine Operation entzogen: {list}. Alle Tokens von davor wurden widerrufen. Holen Sie ein neues.',
  inspectorRevokedClient:
    'Alle früheren Tokens des API-Schlüssels oder der Anwendung wurden widerrufen: Der Zugriff wurde geändert, die Tokens wurden widerrufen, oder ein Leck wurde gemeldet. Holen Sie ein neues.',
  inspectorRevokedGrantScopes:
    'Die Person, die die Anwendung nutzt, darf diese Operationen nicht mehr nutzen: {list}. Erneuern Sie das Token, um eines ohne sie zu erhalten.',
  inspectorRevokedScopes:
    'Das Konto oder die Person, der der Client gehört, darf diese Operationen nicht mehr nutzen: {list}. Holen Sie ein neues Token ohne sie.',
  inspectorRevokedOperation:
    'Der Dienst hat diese Operationen nicht mehr oder hat sie geändert: {list}. Holen Sie ein neues Token.',
  inspectorNotAccessToken: 'Das ist kein Zugriffstoken.',
  inspectorNotAccessTokenText:
    'Es ist ein JWT anderer Art, zum Beispiel ein ID-Token. APIs nehmen nur Zugriffstokens an (typ ist at+jwt).',
  inspectorUnsigned: 'Dieses Token ist nicht signiert.',
  inspectorUnsignedText: 'So ein Token kann jeder schreiben, deshalb lehnt es jede API ab.',
  inspectorOtherIssuer: 'Dieses Token stammt von einem anderen Dienst.',
  inspectorOtherIssuerText: 'Sein Aussteller (iss) ist nicht {issuer}. Diese API lehnt es ab.',
  inspectorOtherAudience: 'Dieses Token ist für eine andere API.',
  inspectorOtherAudienceText: 'Sein Empfänger (aud) ist nicht {audience}. Holen Sie ein Token für diese API.',
  inspectorWrongSignature: 'Die Signatur dieses Tokens ist falsch.',
  inspectorWrongSignatureText:
    'Das Token wurde verändert oder nicht vollständig kopiert. Nichts, was darin steht, ist verlässlich.',
  inspectorUnknownKey: 'Die Signatur dieses Tokens kann nicht geprüft werden.',
  inspectorUnknownKeyText:
    'Der Dienst hat den Schlüssel nicht, den das Token nennt (kid): Er wurde vor langer Zeit ersetzt, oder das Token stammt nicht von diesem Dienst. Nichts, was darin steht, ist verlässlich.',
  inspectorRejected: 'APIs lehnen dieses Token ab.',
  inspectorMalformed: 'Es ist kein vollständiges JWT. Vielleicht wurde es nicht vollständig kopiert.',
  inspectorNoKeyId: 'Sein Header nennt den Schlüssel nicht, der es signiert hat (kid).',
  inspectorWrongAlgorithm: 'Es ist nicht mit ES256 signiert, dem Verfahren dieses Dienstes.',
  inspectorNotValidYet:
    'Es gilt noch nicht (nbf). Benutzen Sie es später, oder prüfen Sie die Uhr des Ausstellers.',
  inspectorMissingClaim: 'Der Claim {claim} fehlt oder hat einen falschen Typ.',
  inspectorWrongClaim: 'Der Claim {claim} hat einen falschen Wert.',
  inspectorBoundToKey:
    'Es ist an einen Schlüssel gebunden (cnf), und diese API nimmt keinen Nachweis für ihn an.',

  inspectorFacts: 'Das Token',
  inspectorClient: 'Ausgestellt für',
  inspectorMode: 'Handelt für',
  inspectorModeDirect: 'das Konto {account}, dem der API-Schlüssel gehört',
  inspectorModeDelegated: 'die Person {account}, die die Anwendung verbunden hat',
  inspectorIssued: 'Ausgestellt',
  inspectorExpires: 'Läuft ab',
  inspectorKey: 'Signiert mit Schlüssel',
  inspectorTokenId: 'Token-Id',
  inspectorOperations: 'Was es darf',
  inspectorOperationsFormer: 'Was es nennt',
  inspectorNoOperations: 'Das Token enthält keine Operation, deshalb ist kein Aufruf der API erlaubt.',
  inspectorBelow: 'Alle Pfade liegen unter {address}.',
  inspectorOperation: 'Operation',
  inspectorCall: 'Aufruf',
  inspectorOtherScopes: 'Andere Scopes',
  inspectorOtherScopesText: 'Keine Operation dieses Dienstes hat diese Scopes: {list}',
  inspectorRaw: 'Header und Claims',
  inspectorHeader: 'Header',
  inspectorClaims: 'Claims',
  inspectorUntrusted: 'Nichts davon ist geprüft.',
}

import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the guides with the values of one client. */
export const english = {
  guideTitle: 'Use it from your program',
  guideIntro: 'All examples have the values of {name}. Copy them as they are.',
  guideSettings: 'Settings',
  guideClientId: 'Client ID',
  guideSecret: 'Client secret',
  guideSecretHint:
    'The examples read the secret from the environment variable {variable}. Keep it on your server only: never in a browser, in an app, or in your source code.',
  guideIssuer: 'Issuer',
  guideAuthorizationAddress: 'Authorization endpoint',
  guideTokenAddress: 'Token endpoint',
  guideRevocationAddress: 'Revocation endpoint',
  guideAudience: 'Address of the API',
  guideRedirectUri: 'Redirect URI',
  guideOperations: 'Operations',
  guideOperationsMore: { one: 'and {count} more', other: 'and {count} more' },
  guideNoOperation: 'There is nothing to call yet',
  guideNoOperationHint: 'Add a product first. Then this page shows how to call it.',
  guideNoRedirect: 'There is no redirect URI yet',
  guideNoRedirectHint:
    'After users allow the application, their browser returns to its redirect URI. Add one first. Then this page shows the examples.',
  guideOpenClient: 'Choose products',
  guideOpenSettings: 'Add a redirect URI',
  guideDisabled: 'It is disabled. Until you enable it, the token endpoint answers 401.',

  guideTerminal: 'Try it in a terminal',
  guideStepSecret: 'Enter the secret',
  guideStepSecretHint: 'It is not shown while you type, and it does not get into the history of the shell.',
  guideStepToken: 'Get a token',
  guideStepTokenHint:
    'The response says in expires_in for how many seconds the token is valid. Use it for all calls until then.',
  guideStepAllow: 'Ask a user for access',
  guideStepAllowHint:
    'Open the address that is printed in a browser. You sign in, and see the page on which users allow the application.',
  guideStepCode: 'Copy the code',
  guideStepCodeHint:
    'Then the browser opens the redirect URI. Copy the value after code= from its address. It is valid for a short time, and only once.',
  guideStepCodeNote:
    'If a program answers at this address, stop it first. Or put a redirect URI at which nothing listens, such as http://localhost:9/callback, first in the settings, and reload this page.',
  guideStepExchange: 'Exchange the code for tokens',
  guideStepCall: 'Call the API',
  guideStepRefresh: 'Get a new token',
  guideStepRefreshHint:
    'A token expires, the authorization of the user stays. Each response has a new refresh token. Store it at once: the old one is no longer valid.',
  guideStepRevoke: 'End a token',
  guideStepRevokeKeyHint:
    'When a token is no longer needed, or has leaked, the revocation endpoint (RFC 7009) ends it. Later calls with it get 401.',
  guideStepRevokeAppHint:
    'When a token is no longer needed, or has leaked, the revocation endpoint (RFC 7009) ends it. Later calls with it get 401. If you send the refresh token instead, the user is disconnected.',
  guideNoRead: 'No operation can be called without a value in its address. Call one of the operations above.',

  guideProgram: 'In your program',
  guideProgramHint: 'Every OAuth 2.0 library works with the settings above.',
  guideProgramLink: 'Complete programs for Node.js, Python and Go',

  guideAnswers: 'What the answers mean',
  guideAnswerApi401: '401 from the API',
  guideAnswerKey401:
    'The token is missing, has expired, or was revoked, for example because an operation was removed. Get a new token, and call again once.',
  guideAnswerApp401:
    'The token is missing, has expired, or was revoked. Get a new token with the refresh token, and call again once.',
  guideAnswerApi403: '403 from the API',
  guideAnswerKey403:
    'The token is valid, but the operation is not among those that it may call. Add the operation here, then get a new token.',
  guideAnswerApp403:
    'The token is valid, but the user did not allow this operation. Ask the user for access again, with this scope.',
  guideAnswerClient401: '401 invalid_client from the token endpoint',
  guideAnswerClient401Hint:
    'The client ID or the secret is wrong, the secret was replaced, or it is disabled.',
  guideAnswerGrant: '400 invalid_grant from the token endpoint',
  guideAnswerGrantHint:
    'The code or the refresh token was used before or has expired, or the user disconnected the application. Ask the user for access again.',
  guideAnswer503: '503',
  guideAnswer503Hint:
    'The service is not available for the moment. Wait as long as Retry-After says, then try again.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  guideTitle: 'Im eigenen Programm nutzen',
  guideIntro: 'Alle Beispiele enthalten die Werte von {name}. Kopieren Sie sie, wie sie sind.',
  guideSettings: 'Werte',
  guideClientId: 'Client-ID',
  guideSecret: 'Client-Secret',
  guideSecretHint:
    'Die Beispiele lesen das Secret aus der Umgebungsvariablen {variable}. Es gehört nur auf Ihren Server, nie in einen Browser, in eine App oder in den Quelltext.',
  guideIssuer: 'Issuer',
  guideAuthorizationAddress: 'Authorization-Endpoint',
  guideTokenAddress: 'Token-Endpoint',
  guideRevocationAddress: 'Revocation-Endpoint',
  guideAudience: 'Adresse der API',
  guideRedirectUri: 'Redirect-URI',
  guideOperations: 'Operationen',
  guideOperationsMore: { one: 'und {count} weitere', other: 'und {count} weitere' },
  guideNoOperation: 'Noch gibt es nichts aufzurufen',
  guideNoOperationHint: 'Fügen Sie zuerst ein Produkt hinzu. Dann zeigt diese Seite, wie Sie es aufrufen.',
  guideNoRedirect: 'Noch gibt es keine Redirect-URI',
  guideNoRedirectHint:
    'Nachdem Nutzer der Anwendung zugestimmt haben, kehrt ihr Browser zu deren Redirect-URI zurück. Fügen Sie zuerst eine hinzu. Dann zeigt diese Seite die Beispiele.',
  guideOpenClient: 'Produkte auswählen',
  guideOpenSettings: 'Redirect-URI hinzufügen',
  guideDisabled: 'Der Zugang ist deaktiviert. Bis Sie ihn aktivieren, antwortet der Token-Endpoint mit 401.',

  guideTerminal: 'Im Terminal ausprobieren',
  guideStepSecret: 'Secret eingeben',
  guideStepSecretHint: 'Es wird bei der Eingabe nicht angezeigt und gelangt nicht in den Verlauf der Shell.',
  guideStepToken: 'Token holen',
  guideStepTokenHint:
    'In der Antwort steht unter expires_in, wie viele Sekunden das Token gilt. Nutzen Sie es so lange für alle Aufrufe.',
  guideStepAllow: 'Um Zugriff bitten',
  guideStepAllowHint:
    'Öffnen Sie die ausgegebene Adresse im Browser. Sie melden sich an und sehen die Seite, auf der Nutzer der Anwendung zustimmen.',
  guideStepCode: 'Code kopieren',
  guideStepCodeHint:
    'Danach öffnet der Browser die Redirect-URI. Kopieren Sie aus ihrer Adresse den Wert nach code=. Er gilt nur kurz und nur einmal.',
  guideStepCodeNote:
    'Wenn an dieser Adresse ein Programm antwortet, halten Sie es vorher an. Oder tragen Sie in den Einstellungen als erste eine Redirect-URI ein, an der nichts läuft, etwa http://localhost:9/callback, und laden Sie diese Seite neu.',
  guideStepExchange: 'Code gegen Token tauschen',
  guideStepCall: 'API aufrufen',
  guideStepRefresh: 'Neues Token holen',
  guideStepRefreshHint:
    'Ein Token läuft ab, die Zustimmung des Nutzers bleibt. Jede Antwort enthält ein neues Refresh-Token. Speichern Sie es sofort: Das alte gilt nicht mehr.',
  guideStepRevoke: 'Token beenden',
  guideStepRevokeKeyHint:
    'Wird ein Token nicht mehr gebraucht oder ist es in falsche Hände geraten, beendet es der Revocation-Endpoint (RFC 7009). Spätere Aufrufe damit erhalten 401.',
  guideStepRevokeAppHint:
    'Wird ein Token nicht mehr gebraucht oder ist es in falsche Hände geraten, beendet es der Revocation-Endpoint (RFC 7009). Spätere Aufrufe damit erhalten 401. Senden Sie stattdessen das Refresh-Token, wird die Verbindung des Nutzers getrennt.',
  guideNoRead:
    'Keine Operation lässt sich ohne einen Wert in der Adresse aufrufen. Rufen Sie eine der Operationen oben auf.',

  guideProgram: 'Im Programm',
  guideProgramHint: 'Mit den Werten oben funktioniert jede OAuth-2.0-Bibliothek.',
  guideProgramLink: 'Vollständige Programme für Node.js, Python und Go (auf Englisch)',

  guideAnswers: 'Was die Antworten bedeuten',
  guideAnswerApi401: '401 von der API',
  guideAnswerKey401:
    'Das Token fehlt, ist abgelaufen oder wurde widerrufen, zum Beispiel weil eine Operation entfernt wurde. Holen Sie ein neues Token und rufen Sie einmal erneut auf.',
  guideAnswerApp401:
    'Das Token fehlt, ist abgelaufen oder wurde widerrufen. Holen Sie mit dem Refresh-Token ein neues und rufen Sie einmal erneut auf.',
  guideAnswerApi403: '403 von der API',
  guideAnswerKey403:
    'Das Token ist gültig, aber die Operation gehört nicht zu denen, die es aufrufen darf. Fügen Sie die Operation hier hinzu und holen Sie dann ein neues Token.',
  guideAnswerApp403:
    'Das Token ist gültig, aber der Nutzer hat diese Operation nicht erlaubt. Bitten Sie ihn mit diesem Scope noch einmal um Zugriff.',
  guideAnswerClient401: '401 invalid_client vom Token-Endpoint',
  guideAnswerClient401Hint:
    'Die Client-ID oder das Secret ist falsch, das Secret wurde ersetzt, oder der Zugang ist deaktiviert.',
  guideAnswerGrant: '400 invalid_grant vom Token-Endpoint',
  guideAnswerGrantHint:
    'Der Code oder das Refresh-Token wurde schon benutzt oder ist abgelaufen, oder der Nutzer hat die Anwendung getrennt. Bitten Sie ihn noch einmal um Zugriff.',
  guideAnswer503: '503',
  guideAnswer503Hint:
    'Der Dienst ist im Moment nicht verfügbar. Warten Sie so lange, wie Retry-After angibt, und versuchen Sie es dann erneut.',
}

/** What is wrong with a form. Most texts follow the name of the field. */
export const english = {
  problemRequired: 'must not be empty',
  problemUnknown: 'is not a field of this form',
  problemType: 'has a value of the wrong kind',
  problemEmpty: 'must not be empty',
  problemFormat: 'does not have the right form',
  problemChoice: 'must be one of the values of the list',
  problemRange: 'must be a whole number from {min} to {max}',
  problemTooLong: 'must have at most {max} characters',
  problemTooMany: 'must have at most {max} entries',
  problemCharacters:
    'must not contain line breaks, control characters or characters that reverse the direction of text',
  problemDuplicate: 'is in the list already',
  problemNotFound: 'does not exist, or no longer exists',
  problemNotAllowed: 'is not allowed here',
  problemUrl: 'must be an absolute URL, such as “https://example.com/callback”',
  problemUrlCharacters:
    'must not contain white space, control characters or invisible characters: encode them as %XX',
  problemUrlHttps: 'must start with “https://”',
  problemUrlHttpsOrLoopback:
    'must start with “https://”; plain http is accepted on localhost, 127.0.0.1 and [::1] only',
  problemUrlCredentials: 'must not contain a user name or password: leave out the part before the “@”',
  problemUrlFragment: 'must not have a fragment: leave out the “#” and what follows it',
  problemUrlWildcard: 'must not have a wildcard: list each address on its own',
  problemUrlSpelling: 'must be written the way that browsers write it: {expected}',
  problemUrlsTooLong:
    'All addresses together have more than {max} characters. Use fewer or shorter addresses.',
  problemProduct: 'Product',
  problemOperation: 'Operation',
  problemOverlap: 'End of the present secret',
  problemFormExpired: 'The form is more than 24 hours old. Check it, and send it again.',
  problemScopeTooLarge:
    'The tokens would be too large for a request. Remove operations that are not needed, or split the products between several clients.',
  problemConflict: 'It was changed meanwhile, so nothing was done. Look at how it is now first.',
  problemTooManyClients:
    'The account has as many API keys and applications as it may have. Delete some of them first.',
  problemSigningKeysReadOnly: 'The signing keys are managed elsewhere, and cannot be changed here.',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, string>> = {
  problemRequired: 'darf nicht leer sein',
  problemUnknown: 'ist kein Feld dieses Formulars',
  problemType: 'hat einen Wert der falschen Art',
  problemEmpty: 'darf nicht leer sein',
  problemFormat: 'hat nicht die richtige Form',
  problemChoice: 'muss einer der Werte der Liste sein',
  problemRange: 'muss eine ganze Zahl von {min} bis {max} sein',
  problemTooLong: 'darf höchstens {max} Zeichen haben',
  problemTooMany: 'darf höchstens {max} Einträge haben',
  problemCharacters:
    'darf keine Zeilenumbrüche, Steuerzeichen und Zeichen enthalten, die die Schreibrichtung umkehren',
  problemDuplicate: 'steht schon in der Liste',
  problemNotFound: 'gibt es nicht oder nicht mehr',
  problemNotAllowed: 'ist hier nicht erlaubt',
  problemUrl: 'muss eine vollständige Adresse sein, zum Beispiel „https://example.com/callback“',
  problemUrlCharacters:
    'darf keine Leerzeichen, Steuerzeichen und unsichtbaren Zeichen enthalten: Schreiben Sie sie als %XX',
  problemUrlHttps: 'muss mit „https://“ beginnen',
  problemUrlHttpsOrLoopback:
    'muss mit „https://“ beginnen; http ohne s ist nur auf localhost, 127.0.0.1 und [::1] erlaubt',
  problemUrlCredentials:
    'darf weder Benutzernamen noch Passwort enthalten: Lassen Sie den Teil vor dem „@“ weg',
  problemUrlFragment: 'darf kein Fragment haben: Lassen Sie das „#“ und alles danach weg',
  problemUrlWildcard: 'darf keinen Platzhalter haben: Schreiben Sie jede Adresse einzeln auf',
  problemUrlSpelling: 'muss so geschrieben sein, wie Browser es schreiben: {expected}',
  problemUrlsTooLong:
    'Alle Adressen zusammen haben mehr als {max} Zeichen. Nehmen Sie weniger oder kürzere Adressen.',
  problemProduct: 'Produkt',
  problemOperation: 'Operation',
  problemOverlap: 'Ende des jetzigen Secrets',
  problemFormExpired:
    'Das Formular ist mehr als 24 Stunden alt. Prüfen Sie es, und senden Sie es noch einmal.',
  problemScopeTooLarge:
    'Die Tokens wären zu groß für eine Anfrage. Entfernen Sie Operationen, die nicht nötig sind, oder verteilen Sie die Produkte auf mehrere Clients.',
  problemConflict:
    'Es wurde inzwischen geändert, deshalb ist nichts geschehen. Sehen Sie zuerst nach, wie es jetzt ist.',
  problemTooManyClients:
    'Das Konto hat schon so viele API-Schlüssel und Anwendungen, wie es haben darf. Löschen Sie zuerst einige.',
  problemSigningKeysReadOnly:
    'Die Signaturschlüssel werden anderswo verwaltet und lassen sich hier nicht ändern.',
}

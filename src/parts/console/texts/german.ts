import type { ConsoleTexts } from './english.ts'

/** Every text of the console, in German. The pages address the reader with “Sie”. */
export const german: ConsoleTexts = {
  layoutTitle: 'Entwicklerkonsole',
  layoutHome: 'Zurück zu {service}',
  layoutSignOut: 'Abmelden',
  navLabel: 'Konsole',
  navMenu: 'Menü',
  navOverview: 'Übersicht',
  navApiKeys: 'API-Schlüssel',
  navApplications: 'Anwendungen',
  navConnected: 'Verbundene Anwendungen',
  navActivity: 'Aktivität',
  navOperator: 'Betrieb',
  navInspector: 'Token-Prüfer',
  navDevelopers: 'Für Entwickler',

  copyButton: 'Kopieren',
  copiedButton: 'Kopiert',
  saveButton: 'Speichern',
  cancelLink: 'Abbrechen',
  nextPageLink: 'Nächste Seite',
  firstPageLink: 'Erste Seite',
  opensNewTab: '(öffnet einen neuen Tab)',
  justNow: 'gerade eben',
  never: 'nie',
  none: 'keine',

  operationLabel: 'Operation',
  lowestLevel: 'niedrigste',
  showAllLink: 'Alle anzeigen',
  latestActivity: 'Letzte Aktivität',
  nameLabel: 'Name',
  productsLabel: 'Produkte',
  stateLabel: 'Status',
  createdLabel: 'Erstellt',
  sensitiveLabel: 'Sensibel',
  clientIdLabel: 'Client-ID',
  clientSecretLabel: 'Client-Secret',
  expiresLabel: 'Läuft ab',
  moreOthers: { one: 'und {count} weitere', other: 'und {count} weitere' },
  disableButton: 'Deaktivieren',
  enableButton: 'Aktivieren',
  operationsLabel: 'Operationen',
  privacyPolicy: 'Datenschutzerklärung',
  appsLinkHint: 'Optional. Die Zustimmungsseite verlinkt darauf.',
  connectedCount: { one: '{count} Anwendung', other: '{count} Anwendungen' },
  moreCount: { one: '{count} weitere', other: '{count} weitere' },
  applicationLabel: 'Anwendung',
  accountLabel: 'Konto',
  sinceLabel: 'Seit',

  problemsTitle: 'Es wurde nichts gespeichert',
  problemLine: '{field}, Zeile {count}',
  problemInLine: 'Zeile {count}: {problem}',
  problemWindow: 'Fehler: {title}',

  errorNotFoundTitle: 'Nicht gefunden',
  errorNotFound: 'Unter dieser Adresse gibt es nichts, oder es gehört einem anderen Konto.',
  errorForbiddenTitle: 'Keine Berechtigung',
  errorForbidden: 'Ihr Konto darf das nicht. Fragen Sie die Person, die es verwaltet.',
  errorOperator: 'Das dürfen nur die Betreiber dieses Dienstes.',
  errorOwner: 'Der Client gehört einer anderen Person, und nur diese Person darf das.',
  errorFormTitle: 'Das Formular konnte nicht geprüft werden',
  errorForm:
    'Es wurde nichts geändert. Das Formular gehört zu einer anderen Sitzung, oder eine andere Website hat es gesendet. Öffnen Sie die Seite neu und wiederholen Sie den Schritt.',
  errorSignInTitle: 'Bitte neu anmelden',
  errorSignIn: 'Sie sind abgemeldet, deshalb wurde nichts geändert.',
  signInLink: 'Anmelden',
  errorBusyTitle: 'Im Moment nicht verfügbar',
  errorBusy:
    'Der Dienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal. Falls Sie etwas geändert haben, prüfen Sie zuerst, ob es angekommen ist.',
  errorInternalTitle: 'Bei uns ist etwas schiefgegangen',
  errorInternal: 'Die Betreiber dieses Dienstes wurden informiert. Versuchen Sie es später noch einmal.',
  errorRepeated:
    'Dieses Formular wurde schon mit anderem Inhalt gesendet, oder was es erstellt hat, wurde inzwischen gelöscht. Beginnen Sie von vorn.',
  errorInProgress:
    'Dasselbe Formular wird gerade verarbeitet. Warten Sie einen Moment und laden Sie die Seite neu.',
  errorMethod: 'Diese Adresse kann so nicht genutzt werden.',
  tryAgainLink: 'Noch einmal versuchen',
  backToStart: 'Zurück zur Startseite',

  problemRequired: 'darf nicht leer sein',
  problemUnknown: 'ist kein Feld dieses Formulars',
  problemType: 'hat einen Wert der falschen Art',
  problemFormat: 'hat nicht die richtige Form',
  problemChoice: 'muss einer der Werte der Liste sein',
  problemTooEarly: 'muss in der Zukunft liegen',
  problemTooLate: 'darf höchstens {max} Tage in der Zukunft liegen',
  problemRange: 'muss eine ganze Zahl von {min} bis {max} sein',
  problemTooLong: 'darf höchstens {max} Zeichen haben',
  problemTooMany: 'darf höchstens {max} Einträge haben',
  problemCharacters:
    'darf keine Zeilenumbrüche, Steuerzeichen und Zeichen enthalten, die die Schreibrichtung umkehren',
  problemDuplicate: 'steht schon in der Liste',
  problemNotFound: 'gibt es nicht oder nicht mehr',
  problemNotAllowed: 'ist hier nicht erlaubt',
  problemNetwork: 'muss eine IP-Adresse sein oder ein Netz wie 203.0.113.0/24 oder 2001:db8::/32',
  problemNetworkAll: 'erlaubt jede Adresse: lassen Sie stattdessen das Feld leer',
  problemNetworkSpelling: 'muss so geschrieben werden: {expected}',
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
  problemUrlHttp:
    'muss mit „http://localhost“, „http://127.0.0.1“ oder „http://[::1]“ beginnen: Ein Programm auf einem Computer hat kein Zertifikat für diese Adresse',
  problemUrlRedirect:
    'muss mit „https://“ beginnen, mit „http://“ auf localhost, 127.0.0.1 oder [::1], oder mit einem umgekehrten Domainnamen wie „com.example.app:/callback“',
  problemOrigin: 'muss ein Origin sein, zum Beispiel „https://app.example.com“',
  problemPublicApplication:
    'muss bei einer öffentlichen Anwendung leer sein, denn sie hat weder Secret noch Schlüssel',
  problemFirstParty: 'ist nur möglich, wenn alle Redirect-URIs mit „https://“ beginnen',
  problemPublicKey:
    'ist kein öffentlicher Schlüssel. Fügen Sie einen JWK ein oder einen Text, der mit „-----BEGIN PUBLIC KEY-----“ beginnt',
  problemPrivateKey:
    'ist ein privater Schlüssel, der geheim bleiben muss. Nichts wurde gespeichert. Fügen Sie den öffentlichen Schlüssel ein. Wenn andere diesen privaten Schlüssel gesehen haben können, erstellen Sie ein neues Paar',
  problemKeyLeaked:
    'gehört zu einem privaten Schlüssel, für den ein Leck gemeldet wurde. Erstellen Sie ein neues Paar',
  problemKeyType:
    'muss ein EC-Schlüssel mit der Kurve P-256 sein (ES256) oder ein RSA-Schlüssel von 2048 bis 4096 Bit (RS256, PS256), für Signaturen',
  problemNoProduct:
    'Kreuzen Sie mindestens ein Produkt an. Operationen gelten nur, wenn ihr Produkt angekreuzt ist.',
  problemOtherName: 'Geben Sie den Text genau so ein, wie er angezeigt wird.',
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

  overviewStart: 'Was möchten Sie tun?',
  overviewLevel: 'Verifizierungsstufe: {level}',
  overviewMayLook:
    'Sie können ansehen, was Ihr Konto hat. Um API-Schlüssel oder Anwendungen zu erstellen oder zu ändern, wenden Sie sich an einen Administrator Ihres Kontos.',
  overviewInspect: 'Token prüfen',
  overviewKeysWhat: 'Mit einem API-Schlüssel nutzt Ihr eigenes Programm die Daten Ihres Kontos.',
  overviewApplicationsWhat:
    'Eine Anwendung nutzt die Daten anderer Personen, nachdem diese zugestimmt haben.',
  overviewConnectedWhat: 'Fremde Anwendungen, denen Sie Zugriff auf Ihr Konto erlaubt haben.',
  overviewConnectedShow: 'Verbundene Anwendungen anzeigen',
  overviewCount: { one: '{count} insgesamt', other: '{count} insgesamt' },
  overviewLastHour: 'Zuletzt (Stunde)',
  stepsTitle: 'Erste Schritte',
  stepsCreate: 'API-Schlüssel oder Anwendung erstellen',
  stepsGuide: 'Anleitung für {name} öffnen',
  stepsDone: 'Erledigt',
  moreThan: 'mehr als {what}',

  doneExpirySaved: 'Das Ablaufdatum ist gespeichert.',

  stateActive: 'Aktiv',
  stateByOperator: 'Vom Betreiber deaktiviert',
  stateByOperatorWhy:
    'Der Betreiber dieses Dienstes hat den Client deaktiviert: Er erhält keine Tokens, und seine Tokens werden abgelehnt. Nur der Betreiber kann ihn wieder aktivieren; bitte wenden Sie sich an ihn.',
  stateDisabled: 'Deaktiviert',
  stateDisabledWhy: 'Der Client ist deaktiviert: Er erhält keine Tokens, und seine Tokens werden abgelehnt.',
  stateExpired: 'Abgelaufen',
  stateExpiredWhy:
    'Der Client ist abgelaufen: Er erhält keine Tokens, und keines seiner Tokens gilt noch. Setzen Sie einen späteren Tag, um ihn wieder zu nutzen.',
  stateExpiredNext: 'Ablaufdatum ändern',
  stateCompromised: 'Leck gemeldet',
  stateCompromisedWhy:
    'Ein Leck wurde gemeldet, deshalb ist kein Secret gültig. Programme erhalten keine Tokens, bis Sie ein neues Secret erstellen und verteilen.',
  stateNoSecret: 'Weder Secret noch Schlüssel',
  stateNoSecretWhy:
    'Es gibt weder ein gültiges Secret noch einen öffentlichen Schlüssel. Programme erhalten keine Tokens, bis der Besitzer ein neues Secret erstellt und verteilt.',
  gatewayBadge: 'Gateway',
  gatewayWhat:
    'Ein Gateway in einem anderen Prozess liest damit Widerrufe. Ohne gültigen Schlüssel erhält es keine. Es braucht keine Tokens.',
  gatewayStops: 'Das Gateway erhält keine Widerrufe, bis es einen gültigen Schlüssel hat.',
  gatewayResources: 'Darf Tokens prüfen für',
  gatewayAllResources: 'alle Ressourcen',
  gatewayCreate: 'Gateway-Schlüssel erstellen',
  gatewaySeen: 'Gateway zuletzt gesehen',
  gatewayOldSecretUntil: 'Das alte Secret gilt bis {time}. Geben Sie dem Gateway vorher das neue.',
  stateNoProduct: 'Noch kein Produkt',
  stateNoProductWhy: 'Der Client erhält keine Tokens, bis er ein Produkt hat.',
  stateNoOperation: 'Keine Operation übrig',
  stateNoOperationWhy:
    'Der Client erhält keine Tokens, weil alle Operationen seiner Produkte entfernt wurden oder seine Produkte nicht mehr angeboten werden.',
  stateNoOperationNext: 'Operationen ändern',
  stateOwnerGone: 'Besitzer fehlt',
  stateOwnerGoneWhy:
    'Der Client erhält keine Tokens, weil es die Person oder das Konto, denen er gehört, nicht mehr gibt. Übergeben Sie ihn dem Konto oder einer anderen Person.',
  stateUserOperations: 'Besitzer nicht berechtigt',
  stateUserOperationsWhy:
    'Der Client erhält keine Tokens, weil die Person, der er gehört, keine seiner Operationen nutzen darf. Übergeben Sie ihn dem Konto oder einer anderen Person.',
  stateLevel: 'Stufe zu niedrig',
  stateLevelWhy:
    'Die Anwendung erhält keine Tokens, weil alle ihre Operationen eine höhere Stufe Ihres Kontos brauchen.',
  stateLevelNext: 'Stufen ansehen',
  stateNoRedirectUri: 'Keine Redirect-URI',
  clientsKnownToFormer:
    'Personen, die das Konto verlassen haben, kennen ein Secret: {users}. Erstellen Sie ein neues Secret und stellen Sie Ihre Programme darauf um.',
  belongsToLabel: 'Gehört',
  createdByLabel: 'Erstellt von',
  ownerAccount: 'dem Konto',

  handOverLink: 'Übergeben',
  handOverTitle: '{name} übergeben',
  handOverWhat: 'Ohne Person gehört der Client dem Konto und bleibt, wenn Personen das Konto verlassen.',
  handOverNot:
    'Der Client gehört dem Konto und bleibt, wenn Personen gehen. Das Konto hat keine Person, der Sie ihn geben könnten.',
  handOverTokens: 'Die Tokens gelten sofort nicht mehr, weil sie im Namen des jetzigen Besitzers handeln.',
  handOverSecrets:
    'Die Secrets gelten weiter. Wenn der jetzige Besitzer sie nicht mehr kennen soll, erstellen Sie danach ein neues Secret.',
  handOverToPerson:
    'Wenn eine Person den Client bekommt, gelten alle öffentlichen Schlüssel nicht mehr. Auch alle Secrets gelten nicht mehr, außer wenn nur diese Person sie gesehen hat. Ein Programm, das sein Secret oder seinen Schlüssel verliert, steht still, bis diese Person ein neues Secret erstellt.',
  handOverToAccount:
    'Wenn das Konto den Client bekommt, gelten Secrets und öffentliche Schlüssel weiter, und Programme holen sich neue Tokens. Wenn der jetzige Besitzer sie nicht mehr kennen soll, ersetzen Sie sie danach.',
  handOverTo: 'Person (optional)',
  handOverHint:
    'Die ID einer Person dieses Kontos. Lassen Sie das Feld leer, um den Client dem Konto zu geben.',
  clientsKeyHandOver: 'API-Schlüssel übergeben',
  clientsAppHandOver: 'Anwendung übergeben',
  doneHandedOver: 'Der Client ist übergeben.',

  restrictionsTitle: 'Einschränkungen',
  addressesTitle: 'Erlaubte Adressen',
  addressesLabel: 'Adressen und Netze, eins pro Zeile',
  addressesHint:
    'Programme erhalten und nutzen Tokens nur von diesen IP-Adressen und Netzen aus, zum Beispiel 203.0.113.0/24. Lassen Sie das Feld leer, um jede Adresse zu erlauben.',
  addressesPublicHint:
    'Die Anwendung läuft auf den Geräten ihrer Nutzer, und diese haben eigene Adressen. Lassen Sie das Feld deshalb leer, außer wenn alle Nutzer in Netzen sind, die Sie kennen, etwa 203.0.113.0/24.',
  addressesAny: 'beliebig',
  addressesRevoke: 'Eine Änderung widerruft alle bisherigen Tokens. Programme holen neue.',
  expiryTitle: 'Ablaufdatum',
  expiryLabel: 'Letzter Tag (UTC)',
  expiryWhen: 'Ablauf wählen',
  expiryDays: { one: '{count} Tag', other: '{count} Tage' },
  expiryNever: 'Nie',
  expiryOther: 'Anderer Tag',
  expiryMax: 'Höchstens {days} Tage ab heute.',
  expiryEarlier:
    'Bei einem Tag vor dem {day} gelten die jetzigen Tokens sofort nicht mehr. Programme holen sich dann neue.',
  expiryBreaksPolicy:
    'Der Client gilt weiter, obwohl dieser Dienst jetzt ein früheres Ablaufdatum verlangt. Wählen Sie einen früheren Tag.',
  expiryBadge: 'Läuft {in} ab',

  clientsUsedLately: 'in der letzten Stunde',
  clientsInUse: 'Wird genutzt',
  clientsCallsToday: 'API-Aufrufe heute (UTC)',
  clientsCallsWeek: 'Aufrufe in 7 Tagen',

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
  clientsKeyNameHint:
    'Welches Programm nutzt den Schlüssel? Zum Beispiel „Nächtlicher Export“. Nur Personen mit Zugang zu Ihrem Konto sehen den Namen.',
  clientsAppNameHint:
    'Nutzer lesen diesen Namen, wenn sie die Anwendung verbinden sollen. Nehmen Sie den Namen Ihres Dienstes.',
  clientsProductsHint:
    'Wählen Sie, was genutzt werden darf. In jedem Produkt können Sie einzelne Operationen weglassen: Je weniger, desto kleiner der Schaden, wenn das Secret in falsche Hände gerät. Sie können das später ändern.',
  clientsOnlyIfChosen: 'Diese gelten nur, wenn Sie oben das Produkt ankreuzen.',
  clientsBeyondYou: 'Sie dürfen diese Operation selbst nicht nutzen, deshalb erhält der Schlüssel sie nicht.',
  clientsProductsNone: 'Es gibt noch keine Produkte. Sie können sie später hinzufügen.',
  clientsOperationCount: { one: '{count} Operation', other: '{count} Operationen' },
  clientsBlockedCount: {
    one: '{count} Operation erfordert eine höhere Verifizierungsstufe Ihres Kontos.',
    other: '{count} Operationen erfordern eine höhere Verifizierungsstufe Ihres Kontos.',
  },
  clientsNeedsLevel:
    'Erfordert die Stufe „{needed}“. Das Konto hat „{level}“: Die Operation kann hinzugefügt, aber noch nicht von Nutzern angefordert werden.',
  clientsRedirectUris: 'Redirect-URIs (nötig, bevor Nutzer verbinden können)',
  clientsRedirectUrisHint:
    'Eine Adresse pro Zeile. Nach der Zustimmung kehrt der Browser zu einer dieser Adressen zurück, und sie erhält die Autorisierung. Deshalb werden die Adressen Zeichen für Zeichen verglichen, ohne Platzhalter. Sie beginnen mit https:// oder während der Entwicklung mit http://localhost.',
  clientsRedirectUrisPublicHint:
    'Eine öffentliche Anwendung darf auch http:// auf 127.0.0.1, [::1] oder localhost nutzen, wo das Programm den Port bei jeder Anmeldung wählt, und ein eigenes Schema wie com.example.app:/callback.',
  clientsKind: 'Wo läuft sie?',
  clientsKindServer: 'Auf einem Server',
  clientsKindServerHint: 'Sie erhält ein Secret, das auf dem Server bleibt.',
  clientsKindPublic: 'In einem Browser, auf einem Telefon oder auf einem Computer',
  clientsKindPublicHint:
    'Eine öffentliche Anwendung: Sie erhält kein Secret, weil ihre Nutzer es lesen könnten, und muss PKCE nutzen. Das lässt sich später nicht ändern.',
  keysInstead: 'Öffentlichen Schlüssel einfügen, statt ein Secret zu erhalten',

  clientsSecretCreated: '{name} ist erstellt',
  clientsSecretRotated: 'Neues Secret von {name}',
  clientsSecretOnce: 'Sie sehen das Secret nur dieses eine Mal.',
  clientsSecretStore:
    'Speichern Sie es jetzt, zum Beispiel im Passwort-Manager oder in der Konfiguration Ihres Servers. Wenn Sie es verlieren, erstellen Sie ein neues. Schreiben Sie es nie in Quellcode, Apps oder Webseiten.',
  clientsCredentials: 'Zugangsdaten',
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
  donePublicCreated:
    'Die Anwendung ist erstellt. Sie hat kein Secret: Die Anleitung zeigt, wie sie Nutzer mit PKCE anmeldet.',
  doneCreatedWithKey:
    'Der Client ist erstellt. Er hat kein Secret: Programme weisen sich mit dem privaten Schlüssel aus.',

  doneProductAdded: 'Das Produkt ist hinzugefügt. Programme können es mit dem nächsten Token nutzen.',
  doneProductRemoved:
    'Das Produkt ist entfernt. Bisherige Tokens gelten nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  doneOperationRemoved:
    'Die Operation ist entfernt. Bisherige Tokens gelten nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  doneOperationRestored:
    'Die Operation ist wieder erlaubt. Programme können sie mit dem nächsten Token nutzen.',
  doneRotationUndone: 'Das neue Secret ist widerrufen. Das alte gilt wieder unbefristet.',
  doneOldSecretRevoked: 'Das alte Secret ist widerrufen.',
  doneOnlySecretRevoked: 'Das Secret ist widerrufen. Programme weisen sich mit einem Schlüssel aus.',
  doneKeyAdded:
    'Der öffentliche Schlüssel ist hinzugefügt. Programme können den privaten Schlüssel jetzt nutzen.',
  doneKeyRemoved: 'Der öffentliche Schlüssel ist entfernt.',
  doneClientDisabled: 'Der Client ist deaktiviert.',
  doneClientEnabled: 'Der Client ist aktiviert.',
  doneClientReported:
    'Alle Secrets und Tokens sind widerrufen. Erstellen Sie ein neues Secret und stellen Sie Ihre Programme darauf um.',
  doneKeysReported:
    'Alle Secrets, öffentlichen Schlüssel und Tokens sind widerrufen. Fügen Sie einen neuen öffentlichen Schlüssel hinzu, oder erstellen Sie ein neues Secret.',
  doneClientDeleted: 'Der Client ist gelöscht.',

  clientsAbout: 'Überblick',
  clientsMayCall: 'Erlaubte Aufrufe',
  clientsMayCallNothing: 'zurzeit nichts',
  clientsNoRedirectUri:
    'Nutzer können diese Anwendung noch nicht verbinden, weil sie keine Redirect-URI hat.',

  clientsAccess: 'Zugriff',
  clientsKeyAccessHint:
    'Wenn Sie etwas entfernen, gelten alle bisherigen Tokens sofort nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  clientsAppAccessHint:
    'Was die Anwendung von Nutzern anfordern darf. Wenn Sie etwas entfernen, gelten alle bisherigen Tokens sofort nicht mehr. Programme brauchen dann ein neues Token; die meisten holen es nach einem 401 von selbst.',
  clientsKeyAccessNone: 'Der Schlüssel darf noch nichts aufrufen. Fügen Sie zuerst ein Produkt hinzu.',
  clientsAppAccessNone: 'Die Anwendung darf noch nichts anfordern. Fügen Sie zuerst ein Produkt hinzu.',
  clientsAllowed: 'Erlaubt',
  clientsLacksProduct: 'Produkt fehlt',
  clientsLacksOperation: 'Entfernt',
  clientsRemove: 'Entfernen',
  clientsRestore: 'Wieder erlauben',
  clientsAdd: 'Hinzufügen',
  clientsRemoveProduct: 'Produkt entfernen',
  clientsRemoveProductTitle: '{product} entfernen?',
  clientsRemoveOperationTitle: '„{operation}“ entfernen?',
  clientsProductWithdrawn: 'Dieses Produkt wird nicht mehr angeboten und kann nicht aufgerufen werden.',
  clientsAddProducts: 'Produkt hinzufügen',
  clientsAddHint:
    'Ein Produkt wird mit allen Operationen hinzugefügt. Einzelne Operationen können Sie danach entfernen.',
  clientsAddedAboveLevel:
    'Hinzugefügt, aber Nutzer können erst darum gebeten werden, wenn das Konto die Stufe „{needed}“ hat.',

  secretsAndKeysTitle: 'Secrets und Schlüssel',
  clientsSecrets: 'Secrets',
  clientsNewSecretUnused:
    'Noch kein Programm hat das neue Secret genutzt. Wer dann noch das alte nutzt, erhält keine Tokens mehr, sobald es endet.',
  clientsSecretNew: 'Neues Secret',
  clientsSecretOld: 'Altes Secret',
  clientsSecretSince: 'Erstellt am {date} ({ago})',
  clientsSecretUsed: 'Zuletzt genutzt {ago}',
  clientsSecretNeverUsed: 'Noch nicht genutzt',
  clientsSecretUntil: 'Gilt bis {time} ({ago})',
  clientsSecretValid: 'Gültig',
  clientsNoSecret: 'Kein Secret ist gültig.',
  clientsNoSecretButKey: 'Es gibt kein Secret. Programme weisen sich mit einem Schlüssel aus.',
  clientsSecretShownTo: 'Gezeigt: {user}',
  clientsTwoSecrets:
    'Zwei Secrets sind gültig. Sobald alle Programme das neue nutzen, widerrufen Sie das alte. Für ein weiteres Secret müssen Sie zuerst eines der beiden widerrufen.',
  clientsRevokeOld: 'Altes Secret widerrufen',
  clientsRevokeNew: 'Rückgängig: neues widerrufen',
  clientsRevokeOnly: 'Secret widerrufen',
  clientsRevokeOldWhat: 'Programme, die es noch nutzen, erhalten dann keine Tokens mehr.',
  clientsRevokeNewWhat: 'Programme, die es schon nutzen, erhalten dann keine Tokens mehr.',
  clientsRotateTitle: 'Neues Secret erstellen',
  clientsRotate: 'Neues Secret erstellen',
  clientsRotateWhat: 'Ein neues Secret wird erstellt und einmal angezeigt.',
  clientsOverlap: 'Wie lange soll das jetzige Secret noch gelten?',
  clientsOverlapHint: 'Solange gelten beide, und Sie können Ihre Programme nacheinander umstellen.',
  clientsOverlapNow: 'Es endet sofort. Programme erhalten keine Tokens, bis sie das neue Secret haben.',
  clientsOverlapHour: '1 Stunde',
  clientsOverlapDay: '24 Stunden',
  clientsOverlapWeek: '7 Tage',
  publicBadge: 'Öffentlich',
  publicTitle: 'Öffentliche Anwendung',
  publicText:
    'Diese Anwendung ist öffentlich: Sie läuft auf den Geräten ihrer Nutzer, hat deshalb kein Secret und nutzt stattdessen PKCE: Nur das Programm, das eine Anmeldung begonnen hat, kann sie abschließen. Jedes Programm kann die Client-ID nutzen, deshalb bestimmen allein die Redirect-URIs, wer die Autorisierung erhält.',
  keysTitle: 'Öffentliche Schlüssel',
  keysHint:
    'Programme können sich mit einem privaten Schlüssel ausweisen (private_key_jwt). Hier ist nur der öffentliche Schlüssel gespeichert.',
  keysNone: 'Es gibt noch keinen öffentlichen Schlüssel.',
  keysSince: 'Hinzugefügt am {date} ({ago})',
  keysOnly:
    'Programme weisen sich nur mit diesem Schlüssel aus. Bevor Sie ihn entfernen, fügen Sie einen anderen hinzu oder erstellen Sie ein Secret.',
  keysFull:
    'Es gibt {count} öffentliche Schlüssel, und mehr sind nicht möglich. Um einen hinzuzufügen, entfernen Sie zuerst einen anderen.',
  keysLeakHint:
    'Ist ein privater Schlüssel in falsche Hände geraten? Melden Sie das Leck unten. Wissen Sie nicht, wem er gehört, sagt es Ihnen die Seite „{inspector}“. Sie speichert nichts.',
  keysAdd: 'Öffentlichen Schlüssel hinzufügen',
  keysAddWhat: 'Programme können sich dann mit dem privaten Schlüssel ausweisen.',
  keysLabel: 'Öffentlicher Schlüssel',
  keysFieldHint:
    'Ein JWK oder ein Text, der mit {header} beginnt. Es ist ein EC-Schlüssel mit der Kurve P-256 oder ein RSA-Schlüssel von 2048 bis 4096 Bit. Fügen Sie hier nie einen privaten Schlüssel ein.',
  keysRemoveTitle: 'Öffentlichen Schlüssel {key} entfernen?',
  keysRemoveTokens: 'Tokens, die Programme damit geholt haben, gelten weiter.',
  keysRemoveButton: 'Öffentlichen Schlüssel entfernen',
  keysLeaked: 'Leck melden',
  keysLeakedHint:
    'Alle Secrets, öffentlichen Schlüssel und Tokens gelten sofort und endgültig nicht mehr. Programme brauchen dann einen neuen Schlüssel oder ein neues Secret.',
  keysReportTitle: 'Leck bei {name} melden',
  keysReportSecrets: 'Alle Secrets und öffentlichen Schlüssel gelten sofort nicht mehr.',
  keysReportNext:
    'Programme erhalten keine Tokens, bis Sie einen neuen öffentlichen Schlüssel hinzufügen oder ein neues Secret erstellen.',
  keysReportButton: 'Alle Secrets, Schlüssel und Tokens widerrufen',

  clientsSettings: 'Einstellungen',
  clientsPreview: 'Vorschau der Zustimmungsseite',
  clientsSetRedirectUri: 'Redirect-URI eintragen',

  clientsActivityNone: 'Es wurde noch nichts geändert.',
  clientsActivityAll: 'Alle Aktivitäten des Kontos',

  clientsDanger: 'Gefahrenbereich',
  clientsDisableTitle: '{name} deaktivieren',
  clientsDisableHint:
    'Die Tokens gelten sofort nicht mehr, und es gibt keine neuen. Das lässt sich rückgängig machen.',
  clientsKeyEnable: 'API-Schlüssel aktivieren',
  clientsAppEnable: 'Anwendung aktivieren',
  clientsEnableHint: 'Programme können wieder Tokens holen. Frühere Tokens bleiben ungültig.',
  clientsLeaked: 'Leck melden',
  clientsLeakedHint:
    'Alle Secrets und Tokens gelten sofort und endgültig nicht mehr. Programme brauchen dann ein neues Secret.',
  clientsLeakedLink: 'Melden',
  clientsKeyDelete: 'API-Schlüssel löschen',
  clientsAppDelete: 'Anwendung löschen',
  clientsDeleteHint: 'Programme, die den Client nutzen, funktionieren sofort und endgültig nicht mehr.',
  clientsDeleteLink: 'Löschen',

  clientsWhatHappens: 'Was passiert',
  clientsReportTitle: 'Leck bei {name} melden',
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

  guideTitle: 'Im eigenen Programm nutzen',
  guideIntro: 'Alle Beispiele enthalten die Werte von {name}. Kopieren Sie sie, wie sie sind.',
  guideSettings: 'Werte',
  guideSecretHint:
    'Die Beispiele lesen das Secret aus der Umgebungsvariablen {variable}. Es gehört nur auf Ihren Server, nie in einen Browser, in eine App oder in den Quelltext.',
  guideAuthentication: 'Authentifizierung',
  guideAuthenticationNone:
    '{method}: Die Anwendung hat kein Secret. Sie sendet ihre Client-ID und nutzt PKCE.',
  guideAuthenticationKey:
    '{method}: Das Programm signiert ein kurzlebiges JWT mit seinem privaten Schlüssel.',
  guideAssertion: 'Mit dem privaten Schlüssel ausweisen',
  guideAssertionHint:
    'Mit jeder Anfrage an den Token-Endpoint sendet das Programm ein neues JWT als {parameter}. Die meisten OAuth-Bibliotheken erstellen es, wenn Sie ihnen den privaten Schlüssel und seine ID (kid) geben. Der private Schlüssel verlässt den Server nie.',
  guideAssertionExpiry: 'höchstens 5 Minuten voraus',
  guideAssertionId: 'jedes Mal ein neuer zufälliger Text',
  guideIssuer: 'Issuer',
  guideAuthorizationAddress: 'Authorization-Endpoint',
  guideTokenAddress: 'Token-Endpoint',
  guideRevocationAddress: 'Revocation-Endpoint',
  guideAudience: 'Adresse der API',
  guideRedirectUri: 'Redirect-URI',
  guideNoOperation: 'Noch gibt es nichts aufzurufen',
  guideNoOperationHint: 'Fügen Sie zuerst ein Produkt hinzu. Dann zeigt diese Seite, wie Sie es aufrufen.',
  guideNoRedirect: 'Noch gibt es keine Redirect-URI',
  guideNoRedirectHint:
    'Nachdem Nutzer der Anwendung zugestimmt haben, kehrt ihr Browser zu deren Redirect-URI zurück. Fügen Sie zuerst eine hinzu. Dann zeigt diese Seite die Beispiele.',
  guideOpenClient: 'Produkte auswählen',
  guideDisabled: 'Der Client ist deaktiviert. Bis Sie ihn aktivieren, antwortet der Token-Endpoint mit 401.',

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
  guideStepExchange: 'Code gegen Tokens tauschen',
  guideStepCall: 'API aufrufen',
  guideStepRefresh: 'Neues Token holen',
  guideStepRefreshHint:
    'Ein Token läuft ab, die Zustimmung des Nutzers bleibt. Jede Antwort enthält ein neues Refresh-Token. Speichern Sie es sofort: Das alte gilt nicht mehr.',
  guideStepRevoke: 'Token widerrufen',
  guideStepRevokeKeyHint:
    'Wird ein Token nicht mehr gebraucht oder ist es in falsche Hände geraten, widerruft es der Revocation-Endpoint (RFC 7009). Spätere Aufrufe damit erhalten 401.',
  guideStepRevokeAppHint:
    'Wird ein Token nicht mehr gebraucht oder ist es in falsche Hände geraten, widerruft es der Revocation-Endpoint (RFC 7009). Spätere Aufrufe damit erhalten 401. Senden Sie stattdessen das Refresh-Token, wird die Verbindung des Nutzers getrennt.',
  guideNoRead:
    'Keine Operation lässt sich ohne einen Wert in der Adresse aufrufen. Rufen Sie eine der Operationen oben auf.',

  guideProgram: 'Im Programm',
  guideDocumentation: 'Dokumentation von {service}',
  guideProgramHint: 'Mit den Werten oben funktioniert jede OAuth-2.0-Bibliothek.',

  guideAnswers: 'Was die Antworten bedeuten',
  guideAnswerApi401: '401 von der API',
  guideAnswerKey401:
    'Das Token fehlt, ist abgelaufen oder wurde widerrufen, zum Beispiel weil eine Operation entfernt wurde. Holen Sie ein neues Token und rufen Sie einmal erneut auf.',
  guideAnswerApp401:
    'Das Token fehlt, ist abgelaufen oder wurde widerrufen. Holen Sie mit dem Refresh-Token ein neues und rufen Sie einmal erneut auf.',
  guideAnswerApi403: '403 von der API',
  guideAnswerKey403:
    'Das Token ist gültig, aber die Operation gehört nicht zu denen, die es aufrufen darf. Erlauben Sie sie auf der Seite „Zugriff“ und holen Sie dann ein neues Token.',
  guideAnswerApp403:
    'Das Token ist gültig, aber der Nutzer hat diese Operation nicht erlaubt. Bitten Sie ihn mit diesem Scope noch einmal um Zugriff.',
  guideAnswerClient401: '401 invalid_client vom Token-Endpoint',
  guideAnswerClient401Hint:
    'Die Client-ID oder das Secret ist falsch, das Secret wurde ersetzt, oder der Client ist deaktiviert.',
  guideAnswerClient401Public: 'Die Client-ID ist falsch, oder die Anwendung ist deaktiviert.',
  guideAnswerClient401Key:
    'Die Client-ID oder das JWT ist falsch, das JWT wurde schon genutzt, der Schlüssel wurde entfernt, oder der Client ist deaktiviert.',
  guideAnswerGrant: '400 invalid_grant vom Token-Endpoint',
  guideAnswerGrantHint:
    'Der Code oder das Refresh-Token wurde schon genutzt oder ist abgelaufen, oder der Nutzer hat die Anwendung getrennt. Bitten Sie ihn noch einmal um Zugriff.',
  guideAnswer429Hint: 'Zu viele Aufrufe. Warten Sie so lange, wie Retry-After angibt.',
  guideAnswer503Hint:
    'Der Dienst ist im Moment nicht verfügbar. Warten Sie so lange, wie Retry-After angibt, und versuchen Sie es dann erneut.',

  doneSettingsSaved: 'Die Einstellungen sind gespeichert. Sie gelten sofort.',
  appsPreviewLink: 'Vorschau der Zustimmungsseite',
  appsSignIn: 'Wohin Nutzer zurückkehren',
  appsRedirectUris: 'Redirect-URIs',
  appsRedirectUrisHint:
    'Eine Adresse pro Zeile, höchstens 20. Ihr Programm muss genau denselben Text senden, Zeichen für Zeichen; Platzhalter sind deshalb nicht möglich. Schreiben Sie https:// oder während der Entwicklung http://localhost. Wenn Sie eine Adresse entfernen, schlagen Anmeldungen damit fehl; verbundene Nutzer bleiben verbunden.',
  appsPostLogout: 'Adressen nach dem Abmelden',
  appsPostLogoutHint:
    'Optional. Eine Adresse pro Zeile, mit denselben Regeln. Nur nötig, wenn Ihre Anwendung Nutzer hier abmeldet.',
  appsRedirectUrisPublicHint:
    'Eine Adresse pro Zeile, höchstens 20. Schreiben Sie https://, http:// auf 127.0.0.1, [::1] oder localhost, oder ein eigenes Schema wie com.example.app:/callback. Ihr Programm muss genau denselben Text senden; nur der Port auf 127.0.0.1, [::1] und localhost darf abweichen. Wenn Sie eine Adresse entfernen, schlagen Anmeldungen damit fehl; verbundene Nutzer bleiben verbunden.',
  appsOrigins: 'Origins',
  appsOriginsHint:
    'Optional. Einer pro Zeile, höchstens 20, zum Beispiel http://localhost:5173. Seiten dieser Origins dürfen den Token-Endpoint aufrufen. Die Origins der Redirect-URIs mit https:// brauchen keinen Eintrag.',
  appsUsers: 'Nutzer',
  appsUsersHint:
    'Werden nicht gezählt. Die Aktivität zeigt, wann Nutzer zustimmen und die Verbindung trennen.',
  appsAppearance: 'Was Nutzer sehen',
  appsAppearanceHint: 'Die Zustimmungsseite und die Liste der verbundenen Anwendungen zeigen diese Angaben.',
  appsNameHint: 'Höchstens 120 Zeichen. Wählen Sie den Namen, unter dem Nutzer die Anwendung kennen.',
  appsHomepage: 'Startseite',
  appsHomepageHint: 'Optional. Hier lesen Nutzer, was die Anwendung tut.',
  appsLogo: 'Logo',
  appsLogoHint:
    'Optional. Die https://-Adresse eines quadratischen Bilds, mindestens 128 × 128 Pixel. PNG, SVG oder WebP. Ohne Logo sehen Nutzer den ersten Buchstaben des Namens.',
  appsTerms: 'Nutzungsbedingungen',
  appsChanged:
    'Das Formular unten hat die neueren Werte. Diese Felder hatten in Ihrem Formular andere Werte; ändern Sie sie erneut, falls das noch nötig ist:',

  appsLevelRaise:
    'Ihr Konto hat die Stufe „{level}“. Das ist die Stufe des Entwicklers, nicht die der Nutzer. Verifizieren Sie Ihr Konto, um sie zu erhöhen; das gilt sofort für neue Anfragen.',

  appsPreviewWindow: 'Zustimmungsseite von {name}',
  appsPreviewIntro:
    'Nutzer sehen diese Seite, bevor {name} für sie handeln darf, hier mit allem, worum die Anwendung jetzt bitten darf. Eine Anfrage mit weniger Scopes zeigt weniger Zeilen. Die Schaltflächen tun hier nichts. Im Rahmen können Sie scrollen.',
  appsPreviewChange: 'Einstellungen ändern',
  appsPreviewTab: 'In einem Tab öffnen',
  appsPreviewNoRedirect:
    'Nutzer sehen diese Seite noch nicht, weil es keine Redirect-URI gibt. Fügen Sie in den Einstellungen eine hinzu.',
  appsPreviewNoProduct: 'Die Anwendung hat noch kein Produkt und kann um keine Operation bitten.',
  appsPreviewNotShown: {
    one: 'Nicht gezeigt: {operations}. Ihr Konto hat die Stufe „{level}“; nötig ist „{needed}“.',
    other: 'Nicht gezeigt: {operations}. Ihr Konto hat die Stufe „{level}“; nötig ist „{needed}“.',
  },
  appsPreviewExpired: 'Die Anwendung ist abgelaufen. Statt dieser Seite sehen Nutzer einen Fehler.',
  appsPreviewDisabled: 'Die Anwendung ist deaktiviert. Statt dieser Seite sehen Nutzer einen Fehler.',
  appsPreviewFirstParty:
    'Diese Anwendung gehört zu diesem Dienst. Nutzer werden nicht um Zustimmung gebeten.',

  connectedIntro:
    'Sie haben diesen Anwendungen erlaubt, für Sie zu handeln. Sie sehen, was jede darf und an welchem Tag sie zuletzt genutzt wurde; einzelne Aufrufe sind hier nicht aufgeführt. Trennen Sie, was Sie nicht mehr nutzen oder nicht kennen.',
  connectedEmptyTitle: 'Keine verbundenen Anwendungen',
  connectedEmpty:
    'Wenn Sie einer Anwendung erlauben, für Sie zu handeln, erscheint sie hier. Sie sehen, was sie darf, und können die Verbindung jederzeit trennen.',
  connectedDeveloper: 'von {developer}',
  connectedMay: 'Diese Anwendung darf:',
  connectedMayAt: 'Bei {resource} darf diese Anwendung:',
  connectedMayNothing: 'Diese Anwendung darf zurzeit nichts.',
  connectedSince: 'Verbunden seit {date}',
  connectedLastUsed: 'zuletzt genutzt am {date}',
  connectedUnknown: 'Unbekannte Anwendung',
  connectedUnknownHint:
    'Die Anwendung {clientId} wurde gelöscht, ihr Name ist deshalb nicht mehr bekannt. Sie kann nicht mehr für Sie handeln. Trennen Sie die Verbindung, um sie aus dieser Liste zu entfernen.',
  connectedDisconnect: 'Trennen',
  connectedConfirm: '{name} trennen?',
  connectedConfirmWhat:
    'Die Anwendung verliert sofort den Zugriff, und alles, wofür Sie sie nutzen, funktioniert nicht mehr. Um sie wieder zu verbinden, müssen Sie ihr den Zugriff erneut erlauben.',
  connectedDisconnected: '{name} ist getrennt und kann nicht mehr für Sie handeln.',
  connectedUnknownDisconnected: 'Die gelöschte Anwendung ist getrennt und kann nicht mehr für Sie handeln.',
  connectedDocumentMissing:
    'Ihre Beschreibung unter {clientId} ist hier nicht mehr bekannt. Sie kann nicht mehr für Sie handeln. Trennen Sie sie, um sie aus dieser Liste zu entfernen.',
  documentCallsItself: 'Die Anwendung nennt sich „{name}“. {service} hat diesen Namen nicht geprüft.',
  documentVerifiedName: '{name}, geprüft von {service}',
  connectedScopeOpenid: 'Wissen, wer Sie sind',
  connectedScopeProfile: 'Ihr Profil sehen, zum Beispiel Name und Bild',
  connectedScopeEmail: 'Ihre E-Mail-Adresse sehen',
  connectedScopeAddress: 'Ihre Postanschrift sehen',
  connectedScopePhone: 'Ihre Telefonnummer sehen',
  connectedScopeOffline: 'Zugriff behalten, auch wenn Sie nicht da sind',

  activityIntro:
    'Was mit den API-Schlüsseln, Anwendungen und Verbindungen Ihres Kontos geschehen ist, das Neueste oben. Was Nutzer einer Ihrer Anwendungen erlauben, steht auf der Seite dieser Anwendung.',
  activityChangesLink: 'Änderungen',
  activityFailuresLink: 'Fehlversuche',
  activityFilterLabel: 'Was angezeigt wird',
  activityEmpty:
    'Noch ist nichts geschehen. Sobald ein API-Schlüssel erstellt oder geändert wird, steht es hier.',
  activityNoFailures:
    'Es gibt keine Fehlversuche. Eine Anfrage mit einem falschen Secret eines Ihrer API-Schlüssel oder einer Ihrer Anwendungen stünde innerhalb einer Minute hier.',
  activityWho: 'Wer',
  activityWhen: 'Wann',
  activityTakesAccess: 'Entzieht Zugriff',
  activityFailed: 'Fehlversuch',
  activityTimes: { one: '{count}-mal', other: '{count}-mal' },
  activityApiKey: 'API-Schlüssel',
  activityAgentOn: '{program} auf {system}',

  activityByTheClient: 'das Programm selbst',
  activityByUser: 'eine Person',
  activityByService: 'der Dienst',
  activityAutomatic: 'automatisch',
  activityByStranger: 'unbekannt',

  activityFieldsChanged: 'Geändert: {fields}',
  activityProductAdded: 'Produkt „{product}“ hinzugefügt',
  activityProductRemoved: 'Produkt „{product}“ entfernt, Tokens widerrufen',
  activityOperationRemoved: 'Operation „{operation}“ entfernt, Tokens widerrufen',
  activityOperationRestored: 'Operation „{operation}“ wieder erlaubt',
  activitySecretRotated: 'Neues Secret erstellt',
  activityOldSecretRevoked: 'Altes Secret widerrufen',
  activityNewSecretRevoked: 'Neues Secret widerrufen; das alte bleibt gültig',
  activityPublicKeyAdded: 'Öffentlicher Schlüssel {key} hinzugefügt',
  activityPublicKeyRemoved: 'Öffentlicher Schlüssel {key} entfernt',
  activityDisabled: 'Deaktiviert, Tokens widerrufen',
  activityEnabled: 'Aktiviert',
  activityHandedOver: 'Übergeben: {from} → {to}',
  activitySecretExposed: 'Ein Secret ist Personen bekannt, die das Konto verlassen haben',
  activityTokensRevoked: 'Alle Access-Tokens widerrufen',
  activityScopedTokensRevoked: 'Access-Tokens mit bestimmten Operationen widerrufen',
  activityExpiring: 'Läuft am {time} ab',
  activityExpired: 'Am {time} abgelaufen: Es gibt keine Tokens mehr',
  activityDeleted: 'Gelöscht, Tokens widerrufen',
  activityLeakSource: 'Gefunden in: {id}',
  activityLeakUrl: 'Gefunden unter: {id}',
  activityCompromised: 'Leck gemeldet: Secrets und Tokens widerrufen',
  activityApproved: 'Anwendung darf das Konto nutzen',
  activityDenied: 'Anwendung darf das Konto nicht nutzen',
  activityLimited: 'Operationen, die die Person nicht mehr nutzen darf: Tokens mit ihnen widerrufen',
  activityDisconnected: 'Verbindung getrennt, Tokens widerrufen',
  activityErased: 'Die Daten einer Person gelöscht',
  activityByErased: 'gelöscht',
  activityTokenRevoked: 'Ein Access-Token widerrufen',
  activityTokenIssued: 'Access-Token ausgestellt',
  activityTokenRejected: 'Anfrage nach einem Token abgelehnt',
  activityRefreshRetried: 'Refresh-Token nach einer verlorenen Antwort erneut gesendet',
  activityRefreshReused:
    'Refresh-Token zweimal genutzt, also vielleicht gestohlen: Verbindung getrennt, Tokens widerrufen',
  activityRefreshTwice:
    'Das Programm hat ein Refresh-Token innerhalb von {seconds} s zweimal gesendet. Ändern Sie es: nur eine Erneuerung zugleich, und das neue Refresh-Token sofort speichern.',
  activityCodeReused:
    'Autorisierungscode zweimal genutzt, also vielleicht gestohlen: Verbindung getrennt, Tokens widerrufen',
  activityWrongSecret: 'Anfrage mit falschem Secret abgelehnt',
  activitySignInRejected: 'Anmeldung mit falschen Zugangsdaten abgelehnt',
  activityKeyPublished: 'Signaturschlüssel veröffentlicht; er signiert später',
  activityKeyActivated: 'Signaturschlüssel aktiviert: er signiert neue Tokens',
  activityKeyRetired: 'Signaturschlüssel ausgemustert: alle seine Tokens sind abgelaufen',
  activityKeyRevoked: 'Signaturschlüssel widerrufen, mit allen seinen Tokens',
  activityCatalogReloaded: 'Operationen von Produkten geändert',
  activityCatalogRejected: 'Neue Produkte abgelehnt, weil sie ungültig sind',
  activityRevocationsStale: 'Ein Prozess erfährt nichts mehr von Widerrufen',
  activityLimitsStale: 'Aufrufe werden in einem Prozess allein gezählt',
  activityLimitsFresh: 'Aufrufe werden wieder gemeinsam gezählt',
  activityRevocationsFresh: 'Ein Prozess erfährt wieder von Widerrufen',
  activityHostBlocked: 'Der Anwendungs-Host {host} wurde blockiert',
  activityHostUnblocked: 'Der Anwendungs-Host {host} wurde wieder zugelassen',
  activityError: 'Eine Anfrage scheiterte an einem internen Fehler',

  activityOperations: 'Operationen: {list}',
  activityAllowedOperations: 'Erlaubt: {list}',
  activityDeniedOperations: 'Abgelehnt: {list}',
  activityAdded: 'Hinzugefügt: {list}',
  activityRemoved: 'Entfernt: {list}',
  activityToken: 'Token {id}',
  activityKey: 'Schlüssel {id}',
  activityReason: 'Grund: {reason}',
  activityReasonClient: 'die Anwendung hat es selbst widerrufen',
  activityReasonTooManyRevoked: 'die Anwendung hat zu viele Tokens einzeln widerrufen',
  activityReasonHost: 'ein Betreiber hat den Host der Anwendung blockiert',
  activityReasonTooMany: 'eine Person hatte mehr als 100 Verbindungen zu einer Anwendung',
  activityReasonAccount: 'das Konto oder seine Stufe hat sich geändert',
  activityReasonFlood: 'zu viele verschiedene Versuche in einer Minute; sie sind zusammengezählt',

  activityFieldName: 'Name',
  activityFieldExpiresAt: 'Ablaufdatum',
  activityFieldAllowedAddresses: 'erlaubte Adressen',
  activityFieldLimits: 'Limits',
  activityFieldProducts: 'Produkte',
  activityFieldRedirectUris: 'Redirect-URIs',
  activityFieldPostLogoutRedirectUris: 'Adressen nach dem Abmelden',
  activityFieldOrigins: 'Origins',
  activityFieldHomepageUri: 'Startseite',
  activityFieldLogoUri: 'Logo',
  activityFieldPrivacyUri: 'Datenschutzerklärung',
  activityFieldTermsUri: 'Nutzungsbedingungen',
  activityFieldFirstParty: 'eigene Anwendung des Dienstes',
  activityFieldResourceServer: 'Schlüssel einer API (Resource-Server)',

  freshTitle: 'Hierfür müssen Sie sich neu anmelden',
  freshText:
    'Melden Sie sich in einem neuen Tab an. Senden Sie dann dieses Formular noch einmal: Ihre Eingaben bleiben hier stehen.',
  freshLink: 'In neuem Tab anmelden',
  freshDoneTitle: 'Zurück zu Ihrem anderen Tab',
  freshDoneText:
    'Schließen Sie diesen Tab. Ihre Eingaben stehen in dem Tab, aus dem Sie kommen: Senden Sie das Formular dort noch einmal.',

  hygieneTitle: 'Handlungsbedarf',
  hygieneLink: { one: '{count} Client mit Handlungsbedarf', other: '{count} Clients mit Handlungsbedarf' },
  hygieneManyLink: 'Mindestens {count} Clients mit Handlungsbedarf',
  hygieneIntro: 'Was Sie prüfen sollten, das Dringendste zuerst.',
  hygieneNothing: 'Es gibt keinen Handlungsbedarf.',
  hygieneNothingHere:
    'Bei den bisher geprüften gibt es keinen Handlungsbedarf. Die nächste Seite prüft weitere.',
  hygieneFinding: 'Was auffiel',
  hygieneFix: 'Was Sie tun können',
  findingKnownToFormer: 'Personen, die nicht mehr dabei sind, kennen das Secret: {users}.',
  findingBreaksPolicy: 'Gilt länger, als dieser Dienst jetzt erlaubt.',
  findingExpiresSoon: 'Läuft {in} ab.',
  findingOldSecret: 'Das Secret wurde {ago} erstellt. Dieser Dienst verlangt nach {days} Tagen ein neues.',
  findingTwoSecrets: 'Seit dem Wechsel {ago} gelten zwei Secrets.',
  findingOldUsed: 'Das alte wurde zuletzt {ago} genutzt.',
  findingOldNeverUsed: 'Das alte wird nicht genutzt.',
  findingUnused: 'Zuletzt {ago} genutzt.',
  findingNeverUsed: 'Erstellt {ago} und nie genutzt.',
  findingNeverExpires: 'Läuft nie ab, obwohl dieser Dienst ein Ablaufdatum verlangt.',
  fixExpire: 'In {days} Tagen ablaufen lassen',
  fixExpireHint: 'Die jetzigen Tokens gelten sofort nicht mehr. Programme holen sich dann neue.',
  fixRenew: 'Auf {days} Tage verlängern',
  fixNeverExpire: 'Ablaufdatum entfernen',
  fixRenewHint: 'Secret und Tokens gelten weiter.',
  fixRotateHint: 'Sie wählen, wann das jetzige Secret nicht mehr gilt. Die Tokens gelten weiter.',
  fixAskOwner: 'Den Besitzer um ein neues Secret bitten',
  hygieneProducts: 'Ungenutzte Produkte',
  hygieneProductsFind: 'Produkte suchen',
  hygieneProductsAllUsed: 'Jedes Produkt gehört zu einem API-Schlüssel oder einer Anwendung.',
  hygieneProductsHint:
    'Kein API-Schlüssel und keine Anwendung hat sie. Bieten Sie sie an, oder entfernen Sie sie aus dem Katalog.',

  limitsTitle: 'Limits für Aufrufe',
  limitsUsed: 'etwa {used} von {limit} Aufrufen',
  limitsLastMinute: 'Letzte Minute',
  limitsHint:
    'Sind beide Felder leer, gelten die Limits aller Clients: {limits}. Sonst bedeutet ein leeres Feld: kein Limit.',
  limitsPerMinute: 'Aufrufe pro Minute',
  limitsPerDay: 'Aufrufe pro Tag',
  limitsMinute: { one: '{count} pro Minute', other: '{count} pro Minute' },
  limitsDay: { one: '{count} pro Tag', other: '{count} pro Tag' },
  doneLimitsSaved: 'Die Limits wurden gespeichert. Sie gelten innerhalb von Sekunden.',

  usageTitle: 'Nutzung',
  usageIntro: 'API-Aufrufe von {name} und was daraus wurde. Zeiten in UTC.',
  usageIntroAccount: 'API-Aufrufe der API-Schlüssel und Anwendungen dieses Kontos. Zeiten in UTC.',
  usageIntroAll: 'API-Aufrufe aller Clients. Zeiten in UTC.',
  usageDays: { one: '24 Stunden', other: '{count} Tage' },
  usageApiCalls: 'API-Aufrufe',
  usageSum: { one: '{count} Aufruf', other: '{count} Aufrufe' },
  usageNone: 'Keine Aufrufe in dieser Zeit.',
  usageTable: 'Als Tabelle',
  usageCsv: 'Als CSV herunterladen',
  usageTime: 'Zeit',
  usageCalls: 'Aufrufe',
  usageSuccessful: 'Erfolgreich',
  usageRejected: 'Abgelehnt',
  usageFailed: 'Fehlgeschlagen',
  usageProblems: 'Häufigste Fehler',
  usageNoProblems: 'Nichts wurde abgelehnt, und nichts schlug fehl.',
  usageOutcome: 'Was geschah',
  usageOperations: 'Am häufigsten aufgerufene Operationen',
  usageClients: 'API-Schlüssel und Anwendungen mit den meisten Aufrufen',
  usageTokenRequests: 'Token-Anfragen: {issued} ausgestellt, {rejected} abgelehnt.',
  usageTokenRequest: 'Token-Anfrage',
  usageCount: 'Anzahl',
  usageOtherOperations: 'Andere Anfragen',
  usageOthers: 'Andere',
  uncalledTitle: 'Operationen, die nicht aufgerufen werden',
  uncalledLink: 'Nicht aufgerufene Operationen',
  uncalledIntro:
    'Operationen, die ein API-Schlüssel nutzen darf und seit {days} Tagen nicht aufgerufen hat. Ohne sie kann ein gestohlenes Secret weniger anrichten.',
  uncalledTooEarly: 'Die Nutzung ist für weniger als {days} Tage bekannt. Sehen Sie später wieder nach.',
  uncalledNone: 'Jede Operation wurde aufgerufen.',
  uncalledHint:
    'Die jetzigen Tokens gelten sofort nicht mehr. Programme holen sich dann neue. Sie können die Operationen wieder hinzufügen.',
  uncalledRemove: { one: '{count} Operation entfernen', other: '{count} Operationen entfernen' },
  doneOperationsRemoved: 'Die Operationen wurden entfernt.',
  outcomeOk: 'Beantwortet',
  outcomeAccepted: 'Durchgelassen',
  outcomeIssued: 'Token ausgestellt',
  outcomeClientError: 'Die API hat die Anfrage abgelehnt (4xx)',
  outcomeServerError: 'Die API ist fehlgeschlagen (5xx)',
  outcomeAborted: 'Die Verbindung endete vor der Antwort',
  outcomeUnavailable: 'Das Gateway konnte das Token nicht prüfen (503)',
  outcomeMissingToken: 'Kein Access-Token (401)',
  outcomeInvalidRequest: 'Fehlerhafte Anfrage (400)',
  outcomeInvalidToken: 'Kein gültiges Token (401)',
  outcomeExpiredToken: 'Abgelaufenes Token (401)',
  outcomeRevokedToken: 'Widerrufenes Token (401)',
  outcomeInsufficientScope: 'Die Operation ist nicht erlaubt (403)',
  outcomeAddress: 'Von einer Adresse, die nicht erlaubt ist (403)',
  outcomeRateLimited: 'Zu viele Aufrufe (429)',
  outcomeNotFound: 'Keine solche Operation (404)',
  outcomeDisabled: 'Der Client ist deaktiviert (401)',
  outcomeExpired: 'Der Client ist abgelaufen (401)',
  outcomeInvalidClient: 'Falsche Client-ID oder falsches Secret (401 oder 429)',
  outcomeInvalidGrant: 'Code oder Refresh-Token ungültig (400)',
  outcomeInvalidScope: 'Scope, den der Client nicht hat (400)',
  outcomeInvalidTarget: 'Token für eine unbekannte API (400)',
  outcomeUnauthorizedClient: 'Der Client darf das nicht (400)',
  outcomeUnsupportedGrantType: 'Unbekannter Grant-Type (400)',
  outcomeOtherError: 'Ein anderer Fehler',
  remedyClientError: 'Lesen Sie den Fehler in der Antwort der API.',
  remedyServerError: 'Versuchen Sie es später wieder. Melden Sie sich, wenn es anhält.',
  remedyAborted: 'Prüfen Sie das Timeout Ihres Programms.',
  remedyInvalidRequest: 'Vergleichen Sie die Anfrage mit der Anleitung des Clients.',
  remedyExpiredToken: 'Holen Sie nach einem 401 ein neues Token, und wiederholen Sie den Aufruf.',
  remedyInsufficientScope: 'Erlauben Sie dem Client die Operation, oder rufen Sie sie nicht mehr auf.',
  remedyAddress: 'Erlauben Sie die Adresse beim Client, oder rufen Sie von einer erlaubten auf.',
  remedyRateLimited: 'Warten Sie so lange, wie Retry-After angibt, und rufen Sie seltener auf.',
  remedyNotFound: 'Prüfen Sie Methode und Pfad.',
  remedyInvalidClient:
    'Prüfen Sie das Secret. Sind die Anfragen nicht von Ihnen, probiert jemand Secrets aus.',
  remedyInvalidGrant: 'Schicken Sie den Nutzer noch einmal durch die Anmeldung.',
  remedyUnauthorizedClient: 'Sehen Sie auf den Seiten des Clients seinen Status und seine Beschränkungen an.',

  operatorNav: 'Seiten des Betriebs',
  operatorNavBack: '← Eigenes Konto',
  operatorStart: 'Start',

  listNothing: 'Nichts passt zu diesem Filter.',
  listAny: 'Alle',
  listProduct: 'Produkt',
  listUnused: 'Seit {count} Tagen kein Token',
  listSort: 'Sortieren nach',
  listNewest: 'Neueste zuerst',
  listFilter: 'Filtern',
  stateNoToken: 'Erhält keine Tokens',

  operatorAccounts: 'Konten und Personen',
  operatorCalls: 'API-Aufrufe in 24 Stunden',
  operatorTokenRequests: 'Token-Anfragen in 24 Stunden',
  operatorFailures: 'Fehlversuche in 24 Stunden',
  operatorLeaks: 'Gemeldete Lecks in 7 Tagen',
  operatorNewest: 'Neueste API-Schlüssel und Anwendungen',
  operatorSearchTitle: 'Client oder Konto finden',
  operatorSearchField: 'ID oder Name',
  operatorSearchHint:
    'Eine Client-ID, die ID eines Kontos, eine Person als Konto/Person oder der Anfang von Wörtern eines Namens.',
  operatorSearchButton: 'Suchen',
  operatorSearchNone: 'Es wurde nichts gefunden.',
  operatorSearchNoneAccount: 'Trotzdem als Konto öffnen',
  operatorSearchNoneWhy:
    'Falls das Konto gelöscht wurde, gibt es seine API-Schlüssel, Anwendungen und Verbindungen vielleicht noch.',
  operatorMore: 'Einzelheiten',

  operatorUser: 'Person',
  operatorLastUsed: 'Letztes Token',
  operatorMarks: 'Merkmale',
  operatorFirstParty: 'eigene Anwendung des Dienstes, ohne Zustimmungsseite',
  operatorDeleted: 'Gelöscht',
  operatorDeletedText:
    'Dieser API-Schlüssel oder diese Anwendung wurde gelöscht. Die Tokens werden abgelehnt, und die ID wird nie wieder vergeben.',
  operatorSearchNoneClient: 'Als Client öffnen',
  operatorTrailEmpty: 'Es gibt keine Einträge, oder sie sind älter, als das Protokoll sie aufbewahrt.',
  operatorActions: 'Aktionen',

  operatorDisableText:
    'Die jetzigen Tokens werden sofort abgelehnt. Neue gibt es erst, wenn ein Betreiber wieder aktiviert.',
  operatorRevokeTokens: 'Tokens widerrufen',
  operatorRevokeTokensText: 'Alle jetzigen Tokens werden abgelehnt. Neue Tokens sind möglich.',
  operatorCompromised: 'Leck melden',
  operatorCompromisedText:
    'Alle Secrets und Tokens werden widerrufen. Nichts funktioniert, bis der Besitzer ein neues Secret erstellt.',
  doneOperatorDisabled: 'Deaktiviert, bis ein Betreiber wieder aktiviert.',
  doneOperatorRevoked: 'Die Tokens werden abgelehnt.',
  doneOperatorCompromised:
    'Alle Secrets und Tokens sind widerrufen. Bitten Sie den Besitzer, ein neues Secret zu erstellen.',

  operatorAccountTitle: 'Konto {account}',
  operatorUserTitle: 'Person {user} im Konto {account}',
  operatorUnknownAccount: 'Dem Host unbekannt',
  operatorUnknownAccountText:
    'Es gibt keine neuen Tokens. Was dazu gehörte, kann noch bestehen: Widerrufen Sie alles, falls es gelöscht wurde.',
  operatorLevel: 'Verifizierungsstufe',
  operatorKind: 'Art',
  operatorClients: 'API-Schlüssel und Anwendungen',
  operatorNoClients: 'Es gibt keine.',
  operatorNoConnections: 'Keine Anwendung ist verbunden.',
  operatorFirstOnly: 'Nur die ersten {count} jeder Art werden angezeigt.',
  operatorPartly: 'Manche Datensätze dieses Kontos sind beschädigt',
  operatorBack: 'Zurück',

  // The texts of the pages on which an operator revokes everything of an account or user.
  operatorRevokeAll: 'Alle Tokens und Verbindungen widerrufen',
  operatorRevokeAccountLink: 'Alles dieses Kontos widerrufen',
  operatorRevokeUserLink: 'Alles dieser Person widerrufen',
  operatorRevokeAllText:
    'Für ein übernommenes oder gelöschtes Konto. Alle Tokens werden sofort abgelehnt und alle Verbindungen getrennt. Auf Wunsch enden auch alle Secrets.',

  operatorRevokeAllTitle: 'Alle Tokens und Verbindungen des Kontos {account} widerrufen?',
  operatorRevokeUserTitle: 'Alle Tokens und Verbindungen der Person {user} im Konto {account} widerrufen?',
  operatorRevokeHits: 'Was betroffen ist',
  operatorKeys: { one: '{count} API-Schlüssel', other: '{count} API-Schlüssel' },
  operatorGrants: { one: '{count} Verbindung', other: '{count} Verbindungen' },
  operatorRevokeKeysText: 'Die jetzigen Tokens werden sofort abgelehnt.',
  operatorRevokeApplicationsText:
    'Alle Tokens, die sie von anderen haben, werden abgelehnt. Die Verbindungen bleiben, neue Tokens sind möglich.',
  operatorRevokeGrantsText: 'Die Verbindungen werden getrennt. Jede Anwendung muss neu um Zustimmung bitten.',
  operatorRevokeNothing: 'Derzeit nichts: Es gibt keine API-Schlüssel, Anwendungen und Verbindungen.',
  operatorRevokeNot: 'Was nicht endet',
  operatorRevokeSecrets:
    'API-Schlüssel und Anwendungen können mit ihren Secrets neue Tokens erhalten, wenn sie nicht deaktiviert sind und kein Leck gemeldet ist.',
  operatorRevokeSession:
    'Die Anmeldung auf Ihrer eigenen Website endet nicht. Die Person kann Anwendungen wieder verbinden. Beenden Sie die Anmeldung dort.',
  operatorEndSecrets: 'Auch alle Secrets beenden (für alle API-Schlüssel und Anwendungen ein Leck melden)',
  operatorEndSecretsHint: 'Bis zu einem neuen Secret gibt es keine neuen Tokens.',
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
  operatorStillTitle: 'Was noch Tokens erhalten kann',
  operatorStillText:
    'Diese können mit ihren Secrets neue Tokens erhalten. Auf der Seite können Sie deaktivieren oder ein Leck melden.',
  operatorStillMore: 'Nur die ersten {count} werden angezeigt. Die übrigen stehen auf der Seite des Kontos.',
  operatorStillNone: 'Kein API-Schlüssel und keine Anwendung kann neue Tokens erhalten.',

  operatorErase: 'Personenbezogene Daten löschen',
  operatorEraseText:
    'Für eine Person, die es verlangt, oder ein geschlossenes Konto. Alles wird endgültig gelöscht.',
  operatorEraseAccount: 'Daten dieses Kontos löschen',
  operatorEraseUser: 'Daten dieser Person löschen',
  operatorEraseAccountTitle: 'Konto {account} mit allen Personen endgültig löschen?',
  operatorEraseUserTitle: 'Person {user} des Kontos {account} endgültig löschen?',
  operatorEraseDeleted:
    'Gelöscht werden die API-Schlüssel, die Anwendungen und die Verbindungen. Alle Tokens werden sofort abgelehnt. Aus der Aktivität verschwinden IDs, Namen, Netzadressen und Browser.',
  operatorEraseStays:
    'Es bleibt, was wann geschah, ohne Namen; die IDs der gelöschten API-Schlüssel und Anwendungen; und ein Hash, mit dem eine wiederhergestellte Sicherung erneut gelöscht wird.',
  operatorEraseStaysOfUser:
    'Es bleibt, was dem Konto oder einer anderen Person gehört; was wann geschah, ohne Namen; die IDs der gelöschten API-Schlüssel und Anwendungen; und ein Hash, mit dem eine wiederhergestellte Sicherung erneut gelöscht wird.',
  operatorEraseOutside:
    'Schließen Sie zuerst das Konto oder den Zugang der Person in Ihrem eigenen Dienst. Kopien außerhalb, wie Exporte, Logs und Sicherungen, werden nicht gelöscht.',
  operatorEraseFinal: 'Das lässt sich nicht rückgängig machen.',
  operatorEraseTypeAccount: 'Geben Sie zur Bestätigung die Konto-ID ein: {name}',
  operatorEraseTypeUser: 'Geben Sie zur Bestätigung die ID der Person ein: {name}',
  doneOperatorErased: 'Alles ist gelöscht. In der Aktivität bleibt ein Eintrag ohne den Namen.',

  operatorReady: 'Tokens können ausgestellt und geprüft werden.',
  operatorNotReady: 'Tokens können gerade nicht ausgestellt werden.',
  operatorHealthTitle: 'Zustand',
  operatorHealthCount: '{result}: {number} von {total} Prüfungen',
  operatorHealthCheck: 'Prüfung',
  operatorHealthResult: 'Ergebnis',
  operatorHealthFound: 'Befund und Abhilfe',
  operatorHealthRemedy: 'Was zu tun ist:',
  operatorHealthExact: 'Genaue Meldung (englisch)',
  operatorHealthPass: 'In Ordnung',
  operatorHealthWarn: 'Warnung',
  operatorHealthFail: 'Fehler',
  operatorHealthUnknown: 'Unbekannt',
  operatorHealthIntro: 'Die Prüfungen dieses Prozesses. Andere Prozesse antworten vielleicht anders.',

  operatorKeysTitle: 'Signaturschlüssel',
  operatorKeysIntro:
    'Mit diesen Schlüsseln werden Tokens signiert: mit ES256 Access-Tokens, mit RS256 ID-Tokens. Die Schlüssel lösen einander von selbst ab.',
  operatorKeysHost: 'Der Host verwaltet die Schlüssel. Sie werden in seiner Konfiguration ersetzt.',
  operatorNextRotation: 'Der nächste Wechsel ist am {time} ({ago}).',
  operatorKeysOf: 'Schlüssel für {alg}',
  operatorKey: 'Schlüssel',
  operatorKeyUntil: 'Bis',
  operatorKeyNext: 'Signiert als Nächster',
  operatorKeyCurrent: 'Signiert jetzt',
  operatorKeyPrevious: 'Prüft ältere Tokens',
  operatorKeyRetired: 'Ausgemustert',
  operatorKeyRevoked: 'Widerrufen',
  operatorKeyRevoke: 'Widerrufen',
  operatorRotateTitle: 'Schlüssel jetzt wechseln',
  operatorRotate: 'Jetzt wechseln',
  operatorRotateText:
    'Ab jetzt signieren die nächsten Schlüssel, und neue werden erstellt. Tokens bleiben gültig. Warten Sie bis zum nächsten Wechsel eine Stunde, damit jede API die Schlüssel kennt.',
  operatorKeyRevokeTitle: 'Diesen Signaturschlüssel widerrufen?',
  operatorKeyRevokeText:
    'Tun Sie das, falls der private Schlüssel in falsche Hände geraten sein könnte. Alle Tokens, die er signiert hat, werden sofort in jeder API abgelehnt. Programme holen mit Secret und Refresh-Token von selbst neue.',
  operatorKeyRevokeCurrent: 'Dieser Schlüssel signiert jetzt. Der nächste übernimmt sofort.',
  operatorKeyRevokeNotNeeded:
    'Für einen gewöhnlichen Wechsel nutzen Sie stattdessen „Jetzt wechseln“: Dann bleiben alle Tokens gültig.',
  operatorKeyRevokeButton: 'Schlüssel widerrufen',
  doneOperatorRotated: 'Die nächsten Schlüssel signieren jetzt. Frühere Tokens bleiben gültig.',
  doneOperatorKeyRevoked: 'Der Schlüssel ist widerrufen, und alle seine Tokens werden abgelehnt.',

  documentsTitle: 'Client-Dokumente',
  documentsIntro:
    'Niemand hat diese Anwendungen registriert: Jede beschreibt sich in einem Dokument auf ihrem eigenen Host, und Menschen haben sie erlaubt. Nur der Host ist bewiesen.',
  documentsOf: 'Dokumente von {host}',
  documentsNone: 'Niemand hat eine solche Anwendung erlaubt.',
  documentsNoneOfHost: 'Niemand hat eine Anwendung dieses Hosts erlaubt.',
  documentsCallsItself: 'Nennt sich „{name}“',
  documentsVerifiedName: '„{name}“, ein geprüfter Name',
  documentsApprovedBy: 'Erlaubt von',
  documentsUsers: { one: '{count} Person', other: '{count} Personen' },
  documentsManyUsers: '{number} Personen oder mehr',
  documentsMethod: 'Weist sich aus mit',
  documentsMethodNone: 'nichts: Sie ist öffentlich, ohne Secret oder Schlüssel',
  documentsMethodKey: 'ihrem privaten Schlüssel',
  documentsRedirects: { one: '{count} Redirect-URI', other: '{count} Redirect-URIs' },
  documentsFetched: 'Zuletzt abgerufen',
  documentsProblem: 'Problem beim letzten Abruf',
  documentsProblemText: 'Meldung (englisch): the document {problem}',
  documentsBlocked: 'Blockiert',
  documentsNoPolicy: 'Nicht mehr zugelassen',
  documentsNoPolicyText:
    'Kein Eintrag der Option clientDocuments deckt dieses Dokument noch ab, daher erhält die Anwendung keine Tokens.',
  documentsActivity: 'Aktivität zeigen',
  documentsBlock: 'Diesen Host blockieren',
  documentsBlockTitle: '{host} blockieren?',
  documentsBlockText:
    'Alle Tokens der Anwendungen dieses Hosts werden sofort abgelehnt, und keine von ihnen erhält ein neues Token.',
  documentsBlockConnections:
    'Die Verbindungen seiner Anwendungen werden gelöscht. Nachdem Sie den Host wieder zugelassen haben, müssen die Personen die Anwendungen erneut erlauben.',
  documentsBlockSubdomains:
    'Nur genau dieser Host wird blockiert. Subdomains und andere Ports sind eigene Hosts.',
  documentsBlockOther: 'Einen anderen Host blockieren',
  documentsHostLabel: 'Host',
  documentsHostHint:
    'Zum Beispiel claude.ai oder example.com:8443. Sie können einen Host blockieren, bevor hier eine Anwendung von ihm erscheint.',
  documentsBlockNext: 'Weiter',
  documentsBlockedTitle: 'Blockierte Hosts',
  documentsBlockedNone: 'Kein Host ist blockiert.',
  documentsBlockedBy: 'Blockiert von',
  documentsClearing: 'Verbindungen werden gelöscht',
  documentsUnblock: 'Wieder zulassen',
  documentsUnblockBusy:
    '{host} kann noch nicht wieder zugelassen werden: Seine Verbindungen werden noch gelöscht. Warten Sie einen Moment und versuchen Sie es dann erneut.',
  doneHostBlocked: 'Der Host ist blockiert, und alle Tokens seiner Anwendungen werden abgelehnt.',
  doneHostUnblocked: 'Der Host ist wieder zugelassen. Personen müssen seine Anwendungen erneut erlauben.',

  operatorAuditTitle: 'Protokoll',
  operatorAuditBy: 'Filtern nach',
  operatorAuditAccount: 'Konto',
  operatorAuditClient: 'Client',
  operatorAuditHost: 'Host von Client-Dokumenten',
  operatorAuditActor: 'Wer',
  operatorAuditValue: 'Genaue ID',

  inspectorIntro:
    'Fügen Sie ein Access-Token ein, um zu sehen, ob es gilt, warum nicht und was es darf. Oder fügen Sie ein gefundenes Secret ein, um zu sehen, zu welchem API-Schlüssel oder zu welcher Anwendung es gehört. Sie können Tokens und Secrets Ihrer eigenen API-Schlüssel und Anwendungen prüfen.',
  inspectorIntroOperator:
    'Fügen Sie ein Access-Token ein, um zu sehen, ob es gilt, warum nicht und was es darf. Oder fügen Sie ein Secret ein, um zu sehen, zu welchem API-Schlüssel oder zu welcher Anwendung es gehört. Im Betrieb können Sie jedes Token und jedes Secret dieses Dienstes prüfen.',
  inspectorField: 'Access-Token oder Secret',
  inspectorHint:
    'Ein Token ist der Text nach „Bearer“ im Authorization-Header. Der Text wird hier geprüft und weder gespeichert noch protokolliert.',
  inspectorKeyHint:
    'Auch einen privaten Schlüssel, der in falsche Hände geraten ist, können Sie hier einfügen.',
  inspectorButton: 'Prüfen',
  inspectorAnother: 'Ein anderes Token oder Secret prüfen',

  inspectorEmpty: 'Fügen Sie zuerst ein Token oder ein Secret ein.',
  inspectorTooLong:
    'Dieser Text ist zu lang für ein Access-Token. Access-Tokens haben höchstens 16.384 Zeichen.',
  inspectorEncrypted:
    'Dieses Token ist verschlüsselt. Access-Tokens dieses Dienstes sind signiert und nicht verschlüsselt.',
  inspectorNotJwt:
    'Das ist kein Access-Token. Ein Access-Token ist ein JWT: drei Teile aus Buchstaben, Ziffern, „-“ und „_“, mit Punkten dazwischen. Es ist auch kein Secret Ihrer API-Schlüssel und Anwendungen. Refresh-Tokens und Codes können nicht geprüft werden.',
  inspectorForeign:
    'Das ist kein Token eines Ihrer API-Schlüssel oder einer Ihrer Anwendungen. Deshalb wird nichts darüber gezeigt.',

  inspectorSecretValid: 'Das ist ein gültiges Secret von {name}.',
  inspectorSecretValidText:
    'Wenn andere es gesehen haben können, melden Sie das Leck: Alle Secrets und Tokens werden sofort widerrufen, und Sie erstellen ein neues Secret.',
  inspectorSecretOver: 'Das war ein Secret von {name}.',
  inspectorSecretOverText: 'Es gilt nicht mehr, und das Leck wurde gemeldet. Es ist nichts zu tun.',
  inspectorSecretLostText:
    'Es gilt nicht mehr, aber Tokens, die damit geholt wurden, können noch gelten. Wenn andere es gesehen haben können, melden Sie das Leck: Alle Secrets und Tokens werden widerrufen.',
  inspectorKeyValid: 'Das ist der private Schlüssel zu einem öffentlichen Schlüssel von {name}.',
  inspectorKeyValidText:
    'Programme können sich damit ausweisen. Wenn andere ihn gesehen haben können, melden Sie das Leck: Alle Secrets, öffentlichen Schlüssel und Tokens werden sofort widerrufen.',
  inspectorKeyOver: 'Das war ein privater Schlüssel von {name}.',
  inspectorKeyUnknown:
    'Das ist ein privater Schlüssel, aber er gehört zu keinem Ihrer API-Schlüssel und keiner Ihrer Anwendungen.',

  inspectorValid: 'Dieses Token gilt.',
  inspectorValidText: 'Es gilt bis {time} ({ago}).',
  inspectorValidEnd:
    'Um es vorher zu beenden: Deaktivieren Sie den Client, entfernen Sie eine Operation, oder senden Sie das Token an den Revocation-Endpoint {address}.',
  inspectorExpired: 'Dieses Token ist abgelaufen.',
  inspectorExpiredText:
    'Es galt bis {time} ({ago}). Seine Signatur stimmt. Holen Sie mit dem Secret oder dem Refresh-Token ein neues.',
  inspectorRevoked: 'Dieses Token wurde widerrufen.',
  inspectorRevokedToken: 'Das Token selbst wurde widerrufen. Holen Sie ein neues.',
  inspectorRevokedGrant:
    'Die Verbindung dahinter ist beendet: Die Person hat die Verbindung getrennt, oder ein Code oder Refresh-Token wurde zweimal genutzt. Bitten Sie die Person, die Anwendung neu zu verbinden.',
  inspectorRevokedHost:
    'Ein Betreiber hat den Host der Anwendung blockiert. Bis er wieder zugelassen ist, erhält die Anwendung keine Tokens.',
  inspectorRevokedKey:
    'Der Schlüssel, der es signiert hat, wurde widerrufen, vielleicht wegen eines Lecks. Holen Sie ein neues Token; es wird mit einem anderen Schlüssel signiert.',
  inspectorRevokedDeleted: 'Der API-Schlüssel oder die Anwendung wurde gelöscht.',
  inspectorRevokedExpired: 'Der API-Schlüssel oder die Anwendung ist abgelaufen.',
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
  inspectorNotAccessToken: 'Das ist kein Access-Token.',
  inspectorNotAccessTokenText:
    'Es ist ein JWT anderer Art, zum Beispiel ein ID-Token. APIs nehmen nur Access-Tokens an (typ ist at+jwt).',
  inspectorUnsigned: 'Dieses Token ist nicht signiert.',
  inspectorUnsignedText: 'So ein Token kann jeder schreiben, deshalb lehnt es jede API ab.',
  inspectorOtherIssuer: 'Dieses Token stammt von einem anderen Dienst.',
  inspectorOtherIssuerText: 'Sein Issuer (iss) ist nicht {issuer}. Diese API lehnt es ab.',
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
    'Es gilt noch nicht (nbf). Nutzen Sie es später, oder prüfen Sie die Uhr des Issuers.',
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
  inspectorKey: 'Signiert mit Schlüssel',
  inspectorTokenId: 'Token-ID',
  inspectorOperations: 'Was es darf',
  inspectorOperationsFormer: 'Was es nennt',
  inspectorNoOperations: 'Das Token enthält keine Operation, deshalb ist kein Aufruf der API erlaubt.',
  inspectorBelow: 'Alle Pfade liegen unter {address}.',
  inspectorCall: 'Aufruf',
  operationWithoutRoute: 'keine eigene Adresse',
  inspectorOtherScopes: 'Andere Scopes',
  inspectorOtherScopesText: 'Keine Operation dieses Dienstes hat diese Scopes: {list}',
  inspectorRaw: 'Header und Claims',
  inspectorHeader: 'Header',
  inspectorClaims: 'Claims',
  inspectorUntrusted: 'Nichts davon ist geprüft.',
}

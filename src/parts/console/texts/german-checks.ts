/**
 * The checks of health by their names, in German: the subject, a colon, and what to do if the check does not pass. The
 * check writes its exact finding in English.
 */
export const germanChecks: ReadonlyMap<string, string> = new Map([
  ['start', 'Start des Dienstes: Warten Sie einen Moment. Startet er nicht, steht der Grund im Log.'],
  ['store', 'Verbindung zur Datenbank: Prüfen Sie Datenbank, Netz, Adresse und Zugangsdaten.'],
  ['store.inspection', 'Zustand der Datenbank: Prüfen Sie ihre Last und storeTimeoutMs.'],
  ['store.latency', 'Antwortzeit der Datenbank: Prüfen Sie ihre Last, langsame Befehle und das Netz.'],
  ['store.clock', 'Uhren von Prozess und Datenbank: Stellen Sie beide mit NTP.'],
  ['store.records', 'Beschädigte Datensätze: Geben Sie jedem Programm ein eigenes Präfix.'],
  [
    'store.persistence',
    'Daten nach einem Neustart: Für Versuche genügt der Arbeitsspeicher. Lassen Sie sonst die Datenbank auf Platte schreiben.',
  ],
  ['store.writes', 'Schreiben in die Datenbank: Prüfen Sie, ob sie der Master und nicht voll ist.'],
  ['store.eviction', 'Verdrängung von Daten in Redis: Setzen Sie maxmemory-policy auf noeviction.'],
  ['store.memory', 'Speicher von Redis: Geben Sie Redis mehr, oder dem Dienst ein eigenes Redis.'],
  ['store.replicas', 'Replikate der Datenbank: Starten Sie die fehlenden und prüfen Sie deren Log.'],
  ['store.version', 'Version der Datenbank: Nutzen Sie eine neuere.'],
  ['store.rights', 'Rechte in der Datenbank: Geben Sie dem Benutzer die Rechte aus docs/postgresql.md.'],
  ['store.sweep', 'Löschen abgelaufener Daten: Prüfen Sie, ob die Datenbank gesperrt oder voll ist.'],
  ['store.connections', 'Verbindungen: Erhöhen Sie max_connections, oder verkleinern Sie die Pools.'],
  ['store.messages', 'Nachrichten: Verbinden Sie sich direkt, ohne Pooler im Transaktionsmodus.'],
  ['store.space', 'Platz für die Datei von SQLite: Geben Sie Speicherplatz frei.'],
  ['store.cluster', 'Slots des Clusters: Stellen Sie die fehlenden Server wieder her.'],
  ['signing-keys', 'Signaturschlüssel: Prüfen Sie Datenbank, Uhren und die Option secret.'],
  ['products', 'Produkte: Berichtigen Sie sie, und nutzen Sie überall dieselben.'],
  ['revocations', 'Widerrufe: Prüfen Sie die Datenbank. Der Prozess holt sie dann nach.'],
  ['issuer', 'Andere Dienste mit denselben Daten: Geben Sie jedem ein eigenes Präfix und secret.'],
  ['addresses', 'Adressen der Aufrufer: Prüfen Sie app.proxy und app.maxIpsCount.'],
  ['client scopes', 'Größe der Tokens: Entfernen Sie Operationen aus den genannten Clients.'],
  ['gateway keys', 'Ablauf von Gateway-Schlüsseln: Entfernen Sie das Ablaufdatum der genannten Schlüssel.'],
  ['gateway', 'Prüfung der Aufrufe: Setzen Sie das Gateway vor Ihre Routen.'],
  ['limits', 'Zählung der Aufrufe: Prüfen Sie, ob die Datenbank zählen kann.'],
])

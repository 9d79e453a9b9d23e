/**
 * The checks of health by their names, in German. The first sentence says what holds if the check passes, the others what
 * to do if it does not. The check writes its exact finding in English.
 */
export const germanChecks: ReadonlyMap<string, string> = new Map([
  ['start', 'Der Dienst läuft. Warten Sie einen Moment. Startet er nicht, steht der Grund im Log.'],
  ['store', 'Die Datenbank antwortet. Prüfen Sie sie, das Netz, ihre Adresse und die Zugangsdaten.'],
  ['store.inspection', 'Der Zustand der Datenbank ist lesbar. Prüfen Sie ihre Last und storeTimeoutMs.'],
  ['store.latency', 'Die Datenbank antwortet schnell. Prüfen Sie ihre Last, langsame Befehle und das Netz.'],
  ['store.clock', 'Die Uhren von Prozess und Datenbank gehen gleich. Stellen Sie beide mit NTP.'],
  ['store.records', 'Kein Datensatz ist beschädigt. Geben Sie jedem Programm ein eigenes Präfix.'],
  ['store.persistence', 'Ein Neustart verliert keine Daten. Nutzen Sie Redis mit appendonly.'],
  ['store.writes', 'Die Datenbank nimmt Daten an. Prüfen Sie, ob sie der Master und nicht voll ist.'],
  ['store.eviction', 'Redis verdrängt keine Daten. Setzen Sie maxmemory-policy auf noeviction.'],
  ['store.memory', 'Der Speicher reicht. Geben Sie Redis mehr, oder dem Dienst ein eigenes Redis.'],
  ['store.replicas', 'Genug Replikate sind verbunden. Starten Sie die fehlenden und prüfen Sie deren Log.'],
  ['store.version', 'Die Version von Redis wird unterstützt. Nutzen Sie Redis 6 oder neuer.'],
  ['store.cluster', 'Alle Slots sind erreichbar. Stellen Sie die fehlenden Server wieder her.'],
  ['signing-keys', 'Die Signaturschlüssel gelten. Prüfen Sie Datenbank, Uhren und die Option secret.'],
  ['products', 'Alle Produkte sind geladen. Berichtigen Sie sie, und nutzen Sie überall dieselben.'],
  ['revocations', 'Alle Widerrufe sind bekannt. Prüfen Sie die Datenbank. Der Prozess holt sie dann nach.'],
  ['issuer', 'Kein anderer Dienst nutzt dieselben Daten. Geben Sie jedem ein eigenes Präfix und secret.'],
  ['addresses', 'Adressen von Aufrufern sind bekannt. Prüfen Sie app.proxy und app.maxIpsCount.'],
  ['client scopes', 'Alle Tokens sind klein genug. Entfernen Sie Operationen aus den genannten Clients.'],
  ['gateway keys', 'Kein Schlüssel eines Gateways läuft bald ab. Entfernen Sie sein Ablaufdatum.'],
  ['gateway', 'Jeder Aufruf einer Operation wird geprüft. Setzen Sie das Gateway vor Ihre Routen.'],
  ['limits', 'Alle Prozesse zählen Aufrufe gemeinsam. Prüfen Sie, ob die Datenbank zählen kann.'],
])

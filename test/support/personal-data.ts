type Erased =
  | 'deleted'
  /** The record stays, without the fields that identify the person. */
  | 'rewritten'
  /** The record expires by itself. */
  | 'expires'
  /** The record names no person. */
  | 'nothing'

interface RecordKind {
  /** The key in the store, or the name of an index. `<…>` is any text without a colon, and `<…*>` is any text. */
  readonly key: string
  /** The parts of the record that name a person or describe a person. Empty if there are none. */
  readonly personal: readonly string[]
  readonly erased: Erased
  /** Seconds for which a record may stay after the erasure although it names the person. @default 0 */
  readonly staysSeconds?: number
}

const HOUR = 3600

/** Add each new kind here, to `erase-person.ts` and to `docs/delete-a-person.md`. A test finds what is missing here. */
const RECORD_KINDS: readonly RecordKind[] = [
  // If a client stays because it belongs to the account or to another user, it is rewritten.
  {
    key: 'client:<id>',
    personal: ['accountId', 'userId', 'createdBy', 'shownTo', 'name', 'addresses'],
    erased: 'deleted',
  },
  { key: 'client-usage:<id>', personal: ['lastUsedAt'], erased: 'deleted' },
  { key: 'usage:<client>:<day>:<source*>', personal: [], erased: 'nothing' },
  { key: 'usage-month:<client>:<month>', personal: [], erased: 'nothing' },
  { key: 'usage-days:<client>', personal: [], erased: 'nothing' },
  { key: 'usage-sources:<client>:<day>', personal: [], erased: 'nothing' },
  { key: 'attempts:<name>:<digest>', personal: [], erased: 'nothing' },
  { key: 'limits:<window>:<client>', personal: [], erased: 'nothing' },
  { key: 'usage-address:<client>', personal: ['address'], erased: 'deleted' },
  { key: 'secret-owner:<digest>', personal: [], erased: 'nothing' },
  { key: 'secret-usage:<digest>', personal: [], erased: 'nothing' },
  { key: 'clients:<kind>', personal: [], erased: 'nothing' },
  { key: 'clients:<kind>:of:<account*>', personal: ['the account in the name'], erased: 'deleted' },
  { key: 'client-names', personal: ['words of the names of clients'], erased: 'rewritten' },
  { key: 'idempotency:<digest>', personal: [], erased: 'nothing' },
  // This one is encrypted: only the option `secret` of the server decrypts it.
  { key: 'return:<digest>', personal: ['the code of the person'], erased: 'expires', staysSeconds: 60 },

  { key: 'client-document:<digest>', personal: [], erased: 'nothing' },
  { key: 'client-documents', personal: [], erased: 'nothing' },
  { key: 'client-document-users:<digest>', personal: ['the subjects of people'], erased: 'rewritten' },
  { key: 'client-document-host:<digest>', personal: ['blockedBy'], erased: 'rewritten' },
  { key: 'client-document-hosts', personal: [], erased: 'nothing' },

  // A grant whose code is never exchanged is in no list, and expires.
  { key: 'grant:<id>', personal: ['accountId', 'userId'], erased: 'deleted', staysSeconds: HOUR + 660 },
  { key: 'grants:of:<digest>', personal: [], erased: 'nothing' },
  { key: 'grants:of:<digest>:<number>', personal: [], erased: 'nothing' },
  { key: 'refresh-family:<id>', personal: ['accountId'], erased: 'rewritten' },
  { key: 'consent:<digest>', personal: [], erased: 'nothing' },
  { key: 'consent-version:<digest>', personal: [], erased: 'nothing' },

  { key: 'session:<digest>', personal: ['accountId'], erased: 'deleted' },
  { key: 'session-uid:<uid>', personal: [], erased: 'nothing' },
  { key: 'sessions:of:<digest>', personal: [], erased: 'nothing' },
  { key: 'sessions:of:<digest>:<number>', personal: [], erased: 'nothing' },
  {
    key: 'interaction:<digest>',
    personal: ['accountId', 'login_hint'],
    erased: 'expires',
    staysSeconds: HOUR,
  },
  { key: 'code:<digest>', personal: ['accountId'], erased: 'expires', staysSeconds: HOUR },

  {
    key: 'audit:<trail>:<number>',
    personal: ['accountId', 'userId', 'clientName', 'actor', 'address', 'userAgent', 'leakUrl'],
    erased: 'rewritten',
  },
  { key: 'audit:<trail>:head', personal: [], erased: 'nothing' },
  { key: 'audit:<trail>:<field>:<span>:<value*>', personal: ['the value in the name'], erased: 'deleted' },
  { key: 'audit:counted', personal: ['the entries that wait'], erased: 'rewritten' },
  { key: 'changes:unfinished', personal: ['the account', 'the entries that wait'], erased: 'rewritten' },
  { key: 'revocations:buckets', personal: [], erased: 'nothing' },
  { key: 'revocations:<list>:<number>', personal: [], erased: 'nothing' },

  { key: 'erasures:keys', personal: [], erased: 'nothing' },
  // The hash of the ids, and the time of the erasure, stay for good.
  { key: 'erasures:people', personal: [], erased: 'nothing' },
  { key: 'signing-keys:<name>', personal: [], erased: 'nothing' },
  { key: 'catalog:products', personal: [], erased: 'nothing' },
  { key: 'issuers:<day>', personal: [], erased: 'nothing' },
]

/** The kind of a record; undefined if `RECORD_KINDS` does not list the record. */
export function kindOfRecord(key: string): RecordKind | undefined {
  const parts = key.split(':')
  return RECORD_KINDS.find((kind) => isOfKind(parts, kind.key.split(':')))
}

/** Only the last part of a kind may be `<…*>`. */
function isOfKind(parts: readonly string[], names: readonly string[]): boolean {
  const hasRest = names.at(-1)?.endsWith('*>') ?? false
  if (parts.length < names.length || (parts.length > names.length && !hasRest)) return false
  return names.every((name, at) => {
    if (!name.startsWith('<')) return parts[at] === name
    return (name.endsWith('*>') ? parts.slice(at).join(':') : parts[at]) !== ''
  })
}

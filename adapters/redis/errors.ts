import { CredentialsRejectedError, GatehouseError, storeUnavailable } from '../../src/errors.ts'

const EXPLANATIONS: Readonly<Record<string, string>> = {
  READONLY:
    'this server is a replica and accepts no writes, as after a failover; let the client reconnect (reconnectOnError of ioredis)',
  MASTERDOWN: 'this replica has lost its master; check the master, and connect the client to it',
  LOADING: 'it has started and is still loading its data; it accepts commands when that is done',
  OOM: 'its memory is full; raise maxmemory, and keep maxmemory-policy at noeviction',
  MISCONF: 'it cannot write its data to disk, and accepts no writes until it can; check its log and its disk',
  NOREPLICAS: 'it has fewer replicas than min-replicas-to-write requires; restore replicas',
  BUSY: 'it is running a script that does not end; find the owner of the script, and end the script with SCRIPT KILL',
  NOAUTH: 'it requires a password; give the client username and password',
  WRONGPASS: 'it does not know this user or password; check username and password of the client',
  NOPERM: 'ACL LOG shows what its user may not do, and docs/redis.md lists the rules that are needed',
  NOSCRIPT: 'it does not store scripts; is there a proxy in between?',
  CLUSTERDOWN:
    'the cluster does not serve this slot; check CLUSTER INFO, and restore its master or a replica',
  TRYAGAIN: 'the slot is migrating to another node; try again',
  CROSSSLOT:
    'it does not take several keys in a command; if it is a cluster, use Redis.Cluster, and otherwise look for a proxy in between',
  UNBLOCKED: 'its role changed during WAIT; the write may be lost',
}

const REJECTED_USER: readonly string[] = ['NOAUTH', 'WRONGPASS', 'NOPERM']

/** Relies on: ioredis reports these failures with these texts. */
const CLIENT_FAILURES: readonly [RegExp, string][] = [
  [/slots cache|None of startup nodes/, 'no node of the cluster answers'],
  [/enableOfflineQueue options is false/, 'the client is not connected'],
  [
    /max retries per request|Connection is closed|aborted due to connection close/,
    'the connection was lost before the answer, or is closed',
  ],
  [/^Too many Cluster redirections/, 'the nodes of the cluster do not agree on who serves a slot'],
]

type Rules = Readonly<Record<string, string>>

/**
 * Converts the error of a failed command: Redis is unavailable or cannot answer (`ERR_STORE_UNAVAILABLE`), or the value
 * of a key has another type (`ERR_STORE_CORRUPT`). The message names the remedy, and quotes no key and no value.
 * @param options.isCluster the client follows redirections itself
 * @param lastError why a connection failed: the error of a client that is not connected hides the reason
 */
export function storeFailure(
  error: unknown,
  { isCluster = false, patterns = {} }: { isCluster?: boolean | undefined; patterns?: Rules } = {},
  lastError?: unknown,
): GatehouseError {
  if (error instanceof GatehouseError) return error
  dropArguments(error)
  const message = messageOf(error)

  // Before Redis 7, the error of a script has the code in the middle of its message.
  if (/\bWRONGTYPE\b/.test(message)) {
    const text = 'Redis holds another type under a key of this store; does another program use its prefix?'
    return new GatehouseError('ERR_STORE_CORRUPT', text, { cause: error })
  }
  const rejection = rejectionOf(message)
  if ((rejection === 'MOVED' || rejection === 'ASK') && !isCluster) {
    return storeUnavailable('Redis is a cluster, but the client is for one server; use Redis.Cluster', error)
  }
  if (rejection !== undefined && REJECTED_USER.includes(rejection)) {
    const text = explained(rejection, message) + missingRule(message, patterns)
    return new CredentialsRejectedError('ERR_STORE_UNAVAILABLE', text, { cause: error })
  }
  if (rejection !== undefined) return storeUnavailable(explained(rejection, message), error)
  const [, known] = CLIENT_FAILURES.find(([pattern]) => pattern.test(message)) ?? []
  if (known !== undefined && rejectionOf(messageOf(lastError)) !== undefined) {
    return storeFailure(lastError, { patterns })
  }
  return storeUnavailable(`Redis cannot be reached: ${known ?? message}`, error)
}

/** Redis loses its scripts with a restart and with SCRIPT FLUSH. */
export function isNoScript(error: unknown): boolean {
  return messageOf(error).startsWith('NOSCRIPT')
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}

/** The message begins with the code of the error, and may quote keys and values after it. */
function rejectionOf(message: string): string | undefined {
  // A command within a script. The code is ERR.
  if (/user executing the script can't|ACL failure in script/.test(message)) return 'NOPERM'
  // In an older Redis, the error of a script, and that of ioredis's ready check, contains the code of its cause.
  const caused = /(?: -|^Ready check failed: )([A-Z]{3,})(?= )/.exec(message)?.[1]
  return caused ?? /^[A-Z]{2,}(?= )/.exec(message)?.[0]
}

function explained(rejection: string, message: string): string {
  // Relies on: if Redis does not know a command, it answers with the code `ERR` and this text.
  if (/unknown command/i.test(message)) {
    return 'Redis rejected an unknown command; docs/redis.md lists the commands that are needed'
  }
  const explanation = EXPLANATIONS[rejection]
  return `Redis rejected a command: ${rejection}${explanation ? `, ${explanation}` : ''}`
}

function missingRule(message: string, patterns: Rules): string {
  const [, command] = /permissions to run the '([\w|-]+)' command/.exec(message) ?? []
  const [, kind = ''] = /permissions to access (?:a|one of the) (key|channel)/.exec(message) ?? []
  const rule = command === undefined ? patterns[kind] : `+${command}`
  return rule === undefined ? '' : `. The missing rule: ACL SETUSER <user> ${rule}`
}

/** ioredis attaches the command to the error. Loggers would print its arguments, which are whole records. */
function dropArguments(error: unknown): void {
  if (typeof error !== 'object' || error === null || !('command' in error)) return
  const { command } = error
  if (typeof command === 'object' && command !== null && 'args' in command) command.args = []
}

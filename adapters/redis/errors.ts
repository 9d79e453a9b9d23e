import { GatehouseError } from '../../src/errors.ts'

/** What Redis says by the code that its rejection begins with, and what to do about it. */
const REFUSALS: Readonly<Record<string, string>> = {
  READONLY:
    'this server is a replica and takes no writes, as after a failover; let the client reconnect (reconnectOnError of ioredis)',
  MASTERDOWN: 'this replica has lost its master; look at the master, and connect the client to it',
  LOADING: 'it has started and is still reading its data; it takes commands when it is done',
  OOM: 'its memory is full; raise maxmemory, and keep maxmemory-policy at noeviction',
  MISCONF:
    'it cannot write its data to the disk, and takes no writes until it can; look at its log and its disk',
  NOREPLICAS: 'it has fewer replicas than min-replicas-to-write demands; bring replicas back',
  BUSY: 'it is running a script that does not end; find out whose it is, and end it with SCRIPT KILL',
  NOAUTH: 'it wants a password; give the client username and password',
  WRONGPASS: 'it does not know this user or password; look at username and password of the client',
  NOPERM:
    'its user may not run this command or use these keys; ACL LOG says which, and the README which commands it needs',
  NOSCRIPT: 'it does not keep scripts, not even for a moment; is there a proxy in between?',
  CLUSTERDOWN:
    'the cluster does not serve this slot; look at CLUSTER INFO and bring its master or a replica back',
  TRYAGAIN: 'the slot is on its way to another node; try again',
  CROSSSLOT: 'it takes this for several keys at once; is there a proxy in between?',
  UNBLOCKED: 'its role has changed while replicas were waited for; whether a write was kept is not known',
}

/** What ioredis says when it does not send a command, or does not get its answer. */
const CLIENT_FAILURES: readonly [RegExp, string][] = [
  [/enableOfflineQueue options is false/, 'the client is not connected'],
  [
    /max retries per request|Connection is closed|aborted due to connection close/,
    'the connection was lost before an answer came, or is closed',
  ],
  [/^Too many Cluster redirections/, 'the nodes of the cluster do not agree on who serves a slot'],
]

/**
 * What a failed command means for those who use the store: that Redis is away or in no state to answer
 * (`ERR_STORE_UNAVAILABLE`), or that a key holds what no store put there (`ERR_STORE_CORRUPT`). The message says
 * what to do, and quotes no key and no value; the client's error is the `cause`.
 *
 * @param options.isCluster whether the client is one of a cluster, which follows redirections
 */
export function storeFailure(error: unknown, { isCluster = false } = {}): GatehouseError {
  if (error instanceof GatehouseError) return error
  dropArguments(error)
  const message = messageOf(error)

  // A script's failure carries the code in the middle of the message where Redis is older than 7.
  if (/\bWRONGTYPE\b/.test(message)) {
    return new GatehouseError(
      'ERR_STORE_CORRUPT',
      'Redis holds something of another type under a key of this store; does somebody else use the same key prefix?',
      { cause: error },
    )
  }
  const rejection = rejectionOf(message)
  if ((rejection === 'MOVED' || rejection === 'ASK') && !isCluster) {
    return unavailable('Redis is a cluster, but the client is for a single server; use Redis.Cluster', error)
  }
  if (rejection !== undefined) return unavailable(explained(rejection, message), error)
  const [, known] = CLIENT_FAILURES.find(([pattern]) => pattern.test(message)) ?? []
  return unavailable(`Redis cannot be reached: ${known ?? message}`, error)
}

/** Whether Redis does not have the script; it forgets scripts when it restarts and on SCRIPT FLUSH. */
export function isNoScript(error: unknown): boolean {
  return messageOf(error).startsWith('NOSCRIPT')
}

/** What an error of a client says; also of one that is no `Error`. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}

/** Redis begins its rejections with a code in capitals. The rest may quote keys and values. */
function rejectionOf(message: string): string | undefined {
  // Within the script's failure of an older Redis, or of a check of ioredis, stands the one that caused it.
  const caused = /(?: -|^Ready check failed: )([A-Z]{3,})(?= )/.exec(message)?.[1]
  return caused ?? /^[A-Z]{2,}(?= )/.exec(message)?.[0]
}

function explained(rejection: string, message: string): string {
  if (/unknown command/i.test(message)) {
    return 'Redis rejected a command: it does not know it; the README says which commands it needs'
  }
  const explanation = REFUSALS[rejection]
  return explanation
    ? `Redis rejected a command: ${rejection}, ${explanation}`
    : `Redis rejected a command: ${rejection}`
}

function unavailable(message: string, cause: unknown): GatehouseError {
  return new GatehouseError('ERR_STORE_UNAVAILABLE', message, { cause })
}

/** ioredis hangs the command with all its arguments on the error: whole records, which loggers would print. */
function dropArguments(error: unknown): void {
  if (typeof error !== 'object' || error === null || !('command' in error)) return
  const { command } = error
  if (typeof command === 'object' && command !== null && 'args' in command) command.args = []
}

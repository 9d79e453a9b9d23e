import { GatehouseError } from '../../src/errors.ts'

/**
 * What a failed command means for those who use the store: that Redis is away or in no state to answer
 * (`ERR_STORE_UNAVAILABLE`), or that a key holds what no store put there (`ERR_STORE_RECORD`). The client's
 * error is the `cause`.
 */
export function storeFailure(error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error
  dropArguments(error)
  const message = messageOf(error)

  // A script's failure carries the code in the middle of the message where Redis is older than 7.
  if (/\bWRONGTYPE\b/.test(message)) {
    return new GatehouseError(
      'ERR_STORE_RECORD',
      'Redis holds something of another type under a key of this store; does somebody else use the same key prefix?',
      { cause: error },
    )
  }
  // Redis begins its refusals with a code in capitals. The rest may quote keys and values.
  const refusal = /^[A-Z]{2,}(?= )/.exec(message)?.[0]
  if (refusal === 'MOVED' || refusal === 'ASK') {
    return unavailable('Redis is a cluster, but the client is for a single server; use Redis.Cluster', error)
  }
  if (refusal) return unavailable(`Redis refused a command: ${refusal}`, error)
  return unavailable(`Redis cannot be reached: ${message}`, error)
}

/** Whether Redis does not have the script; it forgets scripts when it restarts and on SCRIPT FLUSH. */
export function isNoScript(error: unknown): boolean {
  return messageOf(error).startsWith('NOSCRIPT')
}

function unavailable(message: string, cause: unknown): GatehouseError {
  return new GatehouseError('ERR_STORE_UNAVAILABLE', message, { cause })
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}

/** ioredis hangs the command with all its arguments on the error: whole records, which loggers would print. */
function dropArguments(error: unknown): void {
  if (typeof error !== 'object' || error === null || !('command' in error)) return
  const { command } = error
  if (typeof command === 'object' && command !== null && 'args' in command) command.args = []
}

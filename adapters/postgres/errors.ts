import { CredentialsRejectedError, GatehouseError, storeUnavailable } from '../../src/errors.ts'

/** What an operator should know about an SQLSTATE, or about the class that its first two characters name. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  '25006': 'it accepts no writes, as a standby does; connect to the primary, and let new connections find it',
  '28': 'it does not accept the user or the password of the pool',
  '3D000': 'the database of the pool does not exist',
  '40': 'concurrent transactions could not be serialized, also when they were repeated',
  '42501': 'its user lacks a right; docs/postgresql.md lists the rights that are needed',
  '53100': 'its disk is full',
  '53200': 'its memory is full',
  '53300': 'it has no free connection; raise max_connections, or lower `max` of the pools',
  '55P03': 'a lock was not free in time; another program has locked a table of koa-gatehouse',
  '57014': 'the statement was cancelled, by statement_timeout or by an operator',
  '57': 'it is starting, or shutting down',
  '58': 'its operating system reports an error; check its log and its disk',
  XX: 'it reports an internal error, or corrupt files; check its log',
}

/** Without the tables, PostgreSQL reports an unknown schema, table, column or function. */
const NOT_MIGRATED = ['3F000', '42P01', '42703', '42883']
/** The transaction was rolled back, so it can be repeated. */
const ROLLED_BACK = ['40001', '40P01']

/** Whether PostgreSQL has certainly not applied a statement, and would apply it now. */
export function isRepeatable(error: unknown): boolean {
  return ROLLED_BACK.includes(codeOf(error))
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === '53100'
}

/**
 * Converts the error of a failed statement to `ERR_STORE_UNAVAILABLE`. The message names the remedy, and quotes no key,
 * no value and no credentials.
 */
export function storeFailure(error: unknown, schema: string): GatehouseError {
  if (error instanceof GatehouseError) return error
  dropDetails(error)
  const code = codeOf(error)
  if (NOT_MIGRATED.includes(code)) {
    const message = `the schema "${schema}" has not the tables of this version (${code}): run migratePostgres, or the SQL files of koa-gatehouse/adapters/postgres, as its owner`
    return new CredentialsRejectedError('ERR_STORE_UNAVAILABLE', message, { cause: error })
  }
  if (!/^[\dA-Z]{5}$/.test(code) || code.startsWith('08') || /^E[A-Z]{4}$/.test(code)) {
    return storeUnavailable(`PostgreSQL cannot be reached: ${reasonOf(error, code)}`, error)
  }
  const explanation = EXPLANATIONS[code] ?? EXPLANATIONS[code.slice(0, 2)]
  const message = `PostgreSQL rejected a statement: ${code}${explanation === undefined ? '' : `, ${explanation}`}`
  return code.startsWith('28') || code === '42501'
    ? new CredentialsRejectedError('ERR_STORE_UNAVAILABLE', message, { cause: error })
    : storeUnavailable(message, error)
}

/** An SQLSTATE, or a code of Node such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** If several addresses failed, the message of the error is empty. */
function reasonOf(error: unknown, code: string): string {
  return (error instanceof Error && error.message) || code || 'the reason is not known'
}

/** Loggers would print them, and PostgreSQL quotes keys in `detail`. */
function dropDetails(error: unknown): void {
  for (const name of ['detail', 'where', 'internalQuery', 'hint'])
    if (Object.hasOwn(Object(error) as object, name)) Reflect.set(error as object, name, undefined)
}

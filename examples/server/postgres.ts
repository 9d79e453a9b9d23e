import type { Store } from 'koa-gatehouse'
import { migratePostgres, postgresStore } from 'koa-gatehouse/adapters/postgres'
import { StartError } from './start-error.ts'

/**
 * Connects to PostgreSQL, and creates the tables if they are missing. A real app creates them with its own migrations.
 *
 * @throws {StartError} if PostgreSQL cannot be used
 */
export async function openPostgres(connectionString: string): Promise<{ store: Store; close(): void }> {
  const url = URL.parse(connectionString)
  if (!/^postgres(?:ql)?:\/\//.test(connectionString) || url === null) {
    throw new StartError('DATABASE_URL is not an address such as postgres://user:password@localhost/app')
  }
  const { Pool } = (await import('pg')).default
  const pool = new Pool({ connectionString, connectionTimeoutMillis: 1000, statement_timeout: 1000 })
  // The pool opens another connection by itself.
  pool.on('error', () => {})
  try {
    await migratePostgres({ pool })
  } catch (error) {
    await pool.end()
    throw new StartError(`PostgreSQL at ${url.host} cannot be used: ${(error as Error).message}`)
  }
  return { store: postgresStore({ pool }), close: () => void pool.end() }
}

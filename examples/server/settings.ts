import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import { StartError } from './start-error.ts'

/** The settings of the example, from the environment. */
export interface ExampleSettings {
  readonly port: number
  /** The origin of the host as browsers write it: if the port is 80, the port is left out. */
  readonly origin: string
  readonly partnerPort: number
  readonly partnerOrigin: string
  readonly spaPort: number
  readonly spaOrigin: string
  /** The port of the MCP server, which is a program of its own. */
  readonly mcpPort: number
  readonly mcpOrigin: string
  readonly store: StoreSettings
  /** The secret that protects the data in a database; undefined on the first start. */
  readonly secret: string | undefined
}

/** The variable that chooses where the data is kept, and its value; undefined for the memory of the process. */
export type StoreSettings =
  | { readonly variable: 'DATABASE_URL' | 'REDIS_URL' | 'SQLITE_FILE'; readonly value: string }
  | undefined

/**
 * Reads `PORT`, `PARTNER_PORT`, `SPA_PORT`, `MCP_PORT`, `DATABASE_URL`, `REDIS_URL`, `SQLITE_FILE` and `GATEHOUSE_SECRET` from
 * the environment and from `.env`.
 *
 * @throws {StartError} if a port is invalid, or several variables choose a store
 */
export function readSettings(): ExampleSettings {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { GATEHOUSE_SECRET: secret } = process.env
  const port = portFrom('PORT', 3000)
  const partnerPort = portFrom('PARTNER_PORT', 3001)
  const spaPort = portFrom('SPA_PORT', 3002)
  const mcpPort = portFrom('MCP_PORT', 3003)
  return {
    port,
    origin: originAt(port),
    partnerPort,
    partnerOrigin: originAt(partnerPort),
    spaPort,
    spaOrigin: originAt(spaPort),
    mcpPort,
    mcpOrigin: originAt(mcpPort),
    store: storeSettings(),
    secret: secret || undefined,
  }
}

/** A random secret. In production use your own secret management. */
export const makeSecret = (): string => randomBytes(32).toString('base64url')

/** Saves the secret for the next start, because the stored data can only be read with it. */
export function keepSecret(secret: string): void {
  appendFileSync('.env', `GATEHOUSE_SECRET=${secret}\n`, { mode: 0o600 })
  console.log('Created a GATEHOUSE_SECRET for the stored data, and saved it in .env\n')
}

function storeSettings(): StoreSettings {
  const variables = ['DATABASE_URL', 'REDIS_URL', 'SQLITE_FILE'] as const
  const found = variables.flatMap((variable) => {
    const value = process.env[variable]
    return value ? [{ variable, value }] : []
  })
  if (found.length < 2) return found[0]
  throw new StartError(`Set only one of ${found.map(({ variable }) => variable).join(' and ')}`)
}

const originAt = (port: number) => new URL(`http://localhost:${port}`).origin

function portFrom(name: string, fallback: number): number {
  const text = process.env[name]
  if (!text) return fallback
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new StartError(`${name} is "${text}", and not a port from 1 to 65535`)
}

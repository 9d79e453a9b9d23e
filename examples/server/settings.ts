import { randomBytes } from 'node:crypto'
import { existsSync, appendFileSync } from 'node:fs'
import { StartError } from './start-error.ts'

/** What the environment says about how the example is to run. */
export interface ExampleSettings {
  readonly port: number
  readonly partnerPort: number
  /** Undefined: everything is kept in memory. */
  readonly redisUrl: string | undefined
  /** What protects the data in Redis; undefined with the memory store, which makes one up. */
  readonly secret: string | undefined
}

/**
 * Reads `PORT`, `PARTNER_PORT`, `REDIS_URL` and `GATEHOUSE_SECRET` from the environment and from `.env`.
 *
 * What is in Redis can only be read with the secret that it was written with, so the secret must outlive the
 * process: where Redis is used without one, a random one is made and kept in `.env`. (In production it comes
 * from wherever your secrets come from.)
 *
 * @throws {StartError}
 */
export function readSettings(): ExampleSettings {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { REDIS_URL: redisUrl } = process.env
  let { GATEHOUSE_SECRET: secret } = process.env
  if (redisUrl && !secret) {
    secret = randomBytes(32).toString('base64url')
    appendFileSync('.env', `GATEHOUSE_SECRET=${secret}\n`, { mode: 0o600 })
    console.log('Made a GATEHOUSE_SECRET for the data in Redis, and kept it in .env\n')
  }
  return {
    port: portFrom('PORT', 3000),
    partnerPort: portFrom('PARTNER_PORT', 3001),
    redisUrl: redisUrl || undefined,
    secret: secret || undefined,
  }
}

function portFrom(name: string, fallback: number): number {
  const text = process.env[name]
  if (!text) return fallback
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new StartError(`${name} is "${text}", and not a port from 1 to 65535`)
}

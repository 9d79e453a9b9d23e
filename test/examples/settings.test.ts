import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import Koa from 'koa'
import { afterEach, expect, it, vi } from 'vitest'
import { listen } from '../../examples/server/listening.ts'
import { readSettings } from '../../examples/server/settings.ts'
import { StartError } from '../../examples/server/start-error.ts'
import { openStore } from '../../examples/server/store.ts'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { freePort } from '../support/free-port.ts'

const PORTS = ['PORT', 'PARTNER_PORT', 'SPA_PORT', 'MCP_PORT']

afterEach(() => vi.unstubAllEnvs())

it('two variables that choose a store are rejected in one line', () => {
  vi.stubEnv('REDIS_URL', 'redis://localhost:6379')
  vi.stubEnv('SQLITE_FILE', 'data/gatehouse.db')
  expect(readSettings).toThrow(new StartError('Set only one of REDIS_URL and SQLITE_FILE'))
  vi.stubEnv('REDIS_URL', '')
  expect(readSettings().store).toEqual({ variable: 'SQLITE_FILE', value: 'data/gatehouse.db' })
})

it('an origin is written as browsers write it', () => {
  for (const [port, origin] of [
    ['80', 'http://localhost'],
    ['0080', 'http://localhost'],
    ['3000', 'http://localhost:3000'],
  ] as const) {
    for (const name of PORTS) vi.stubEnv(name, port)
    const origins = { partnerOrigin: origin, spaOrigin: origin, mcpOrigin: origin }
    expect(readSettings()).toMatchObject({ origin, ...origins })
  }
})

it('a port that is not a port is rejected in one line', () => {
  for (const name of PORTS) {
    for (const port of ['http', '0', '70000', '1.5']) {
      vi.stubEnv(name, port)
      expect(readSettings).toThrow(new StartError(`${name} is "${port}", and not a port from 1 to 65535`))
    }
    vi.stubEnv(name, '')
  }
})

it('a port that is taken is rejected in one line, with the variable that chooses another port', async () => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await expect(listen(new Koa(), port, 'PARTNER_PORT')).rejects.toThrow(
    new StartError(`Port ${port} is taken; choose another port with PARTNER_PORT=…`),
  )
  server.close()
})

it('an address that is no address of Redis, and a Redis that is unreachable, are rejected in one line without the password', async () => {
  const open = (value: string) => openStore({ variable: 'REDIS_URL', value })
  await expect(open('localhost:6379')).rejects.toThrow(
    new StartError('REDIS_URL is not an address such as redis://localhost:6379'),
  )
  const host = `127.0.0.1:${await freePort()}`
  await expect(open(`redis://:not-to-be-printed@${host}`)).rejects.toThrow(
    new StartError(`Redis at ${host} cannot be used: connect ECONNREFUSED ${host}`),
  )
})

describeWithSqlite('SQLITE_FILE', () => {
  it('a file that cannot be opened is rejected in one line', async () => {
    const value = path.join(import.meta.filename, 'gatehouse.db')
    await expect(openStore({ variable: 'SQLITE_FILE', value })).rejects.toThrow(StartError)
  })
})

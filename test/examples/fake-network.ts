import { appendFile, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { testAuthority } from '../support/test-certificates.ts'

/** The network of a process that runs the packed package unchanged. */
export interface FakeNetwork {
  /** Environment variables for the process. */
  readonly environment: Readonly<Record<string, string>>
  /** The host names to which the process connected, and `outside …` for each other address outside of this machine. */
  log(): Promise<readonly string[]>
}

/**
 * Gives a process a network in which every name has a public address, and every TLS connection leads to a port of this
 * machine. The package has no option for it, so a module that is loaded first replaces functions of Node.
 *
 * @param folder where the files are written
 * @param port the port of the server for all names, with a certificate of `testAuthority()`
 */
export async function fakeNetwork(folder: string, port: number): Promise<FakeNetwork> {
  const [hook, log] = [path.join(folder, 'fake-network.mjs'), path.join(folder, 'fake-network.log')]
  const { cert } = await testAuthority()
  await writeFile(hook, HOOK)
  await appendFile(log, '')
  return {
    environment: {
      NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
      FAKE_NETWORK: JSON.stringify({ port, cert, log }),
    },
    log: async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean),
  }
}

const HOOK = `
import { appendFileSync } from 'node:fs'
import { Resolver } from 'node:dns/promises'
import net from 'node:net'
import tls from 'node:tls'
import { syncBuiltinESMExports } from 'node:module'

const { port, cert, log } = JSON.parse(process.env.FAKE_NETWORK)
const write = (line) => appendFileSync(log, line + '\\n')

Resolver.prototype.resolve4 = async () => ['93.184.216.34']
Resolver.prototype.resolve6 = async () => ['2606:2800:220:1:248:1893:25c8:1946']

const connectTls = tls.connect
tls.connect = (options) => {
  write(options.servername)
  return connectTls({ ...options, host: '127.0.0.1', port, ca: cert })
}
syncBuiltinESMExports()

const LOCAL = [undefined, '', 'localhost', '127.0.0.1', '::1']
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given
  const { host, path } = typeof options === 'object' ? options : { host: given[1] }
  if (path === undefined && !LOCAL.includes(host)) write('outside ' + host)
  return connect.apply(this, given)
}
`

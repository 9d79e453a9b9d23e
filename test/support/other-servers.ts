import { existsSync } from 'node:fs'
import path from 'node:path'

/** The servers that `other-servers.sh` downloads. */
export type OtherServer = 'valkey-8.0' | 'valkey-8.1' | 'redis-8.0'

const FOLDER = path.resolve('node_modules/.cache/servers')

/**
 * Whether a server was downloaded. With CI=true a missing server is an error, so a green run in CI means that all tests ran.
 */
export function hasServer(name: OtherServer): boolean {
  const isThere = existsSync(path.join(FOLDER, name, 'redis-server'))
  if (!isThere && process.env['CI'] === 'true') throw new Error(howToGet(name))
  return isThere
}

/**
 * Runs `work` with another server as the first `redis-server` in PATH.
 *
 * @param name undefined leaves PATH as it is
 * @throws if the server was not downloaded
 */
export async function withServer<T>(name: OtherServer | undefined, work: () => Promise<T>): Promise<T> {
  const before = process.env['PATH']
  if (name !== undefined) {
    if (!hasServer(name)) throw new Error(howToGet(name))
    process.env['PATH'] = `${path.join(FOLDER, name)}${path.delimiter}${before}`
  }
  try {
    return await work()
  } finally {
    process.env['PATH'] = before
  }
}

function howToGet(name: OtherServer): string {
  return `${name} is missing. To get it: bash test/support/other-servers.sh node_modules/.cache/servers`
}

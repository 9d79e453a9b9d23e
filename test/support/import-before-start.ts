import type { ImportedRegistry, ImportOptions } from 'koa-gatehouse/backup'
import { SECRET, startHost, type HostOptions } from './host.ts'
import { importRegistry } from '../../src/backup.ts'

/** Imports a registry into a store on which no process has started, as a migration script does. */
export async function importBeforeStart(
  lines: Parameters<typeof importRegistry>[1],
  options: HostOptions,
  importOptions?: ImportOptions,
): Promise<ImportedRegistry> {
  // If `gatehouse.secret` is set, the test host stores no keys. If nothing is mounted, the gatehouse does not
  // start.
  const gatehouse = { secret: SECRET, ...options.gatehouse }
  const host = await startHost({ ...options, gatehouse, mount: () => {} })
  try {
    return await importRegistry(host.gatehouse, lines, importOptions)
  } finally {
    await host.close()
  }
}

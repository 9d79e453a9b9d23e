import type { Store } from 'koa-gatehouse'
import { onTestFinished } from 'vitest'
import { createAudit, type Audit } from '../../src/audit/audit.ts'
import type { AuditRecord } from '../../src/audit/read-trail.ts'
import { silentLogger } from '../../src/host/logger.ts'

/** The bounds without options. */
export const DEFAULT_BOUNDS = { maxAgeDays: 90, maxEntries: 1_000_000, maxFailures: 100_000 }

/** The audit trail of one process, for a test. A hook calls `createAudit`. */
export function auditOf(
  store: Store,
  { bounds = {}, now }: { bounds?: Partial<typeof DEFAULT_BOUNDS>; now?: () => number } = {},
): Audit {
  const audit = createAudit({ store, bounds: { ...DEFAULT_BOUNDS, ...bounds }, logger: silentLogger, now })
  // Its timer ends with the test. In a later file of the same worker, it would count among the timers of that file.
  onTestFinished(() => {
    const stop = audit.start()
    stop().catch(() => {})
  })
  return audit
}

/** Reads a trail from a cursor to its end. */
export async function readAll(audit: Audit, since?: string): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for await (const record of audit.read({ since })) records.push(record)
  return records
}

/** The targets of all entries, in the order of the trail. */
export async function targetsOf(audit: Audit, since?: string): Promise<(string | undefined)[]> {
  return (await readAll(audit, since)).map(({ entry }) => entry.target)
}

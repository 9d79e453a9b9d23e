import { brokenAtomicity } from './broken-atomicity.ts'
import { brokenClosing } from './broken-closing.ts'
import { brokenCounters } from './broken-counters.ts'
import { brokenDescription } from './broken-description.ts'
import { brokenExpiry } from './broken-expiry.ts'
import { brokenIndexes } from './broken-indexes.ts'
import { brokenValues } from './broken-values.ts'
import type { BrokenStore } from './broken-store.ts'

/**
 * Stores that break a promise about anything but messages. Faults of messages are in `brokenMessages`,
 * because a case takes seconds to notice such a fault.
 */
export const brokenStores: readonly BrokenStore[] = [
  ...brokenValues,
  ...brokenAtomicity,
  ...brokenExpiry,
  ...brokenIndexes,
  ...brokenCounters,
  ...brokenDescription,
  ...brokenClosing,
]

import { stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { fail, pass, warn } from '../../src/store/check-results.ts'
import type { StoreCheck, StoreInspection } from '../../src/store/contract.ts'
import { NOW, type Queries } from './database.ts'
import { explain } from './errors.ts'
import type { Transactions } from './transactions.ts'

const MEBIBYTE = 2 ** 20
const MIN_FREE_MEBIBYTES = 256
const HOUR_MS = 3_600_000

const STATE = `select ${NOW} as time, sqlite_version() as version, ${NOW} - min(expires_at) as overdue,
  (select synchronous >= 2 from pragma_synchronous) as waits from gatehouse_value`

/** Reads whether writes work and wait for the disk, the space, and how long expired rows are kept. */
export async function inspectSqlite(
  file: string,
  { rows }: Queries,
  { read, writeFailure }: Transactions,
): Promise<StoreInspection> {
  const [{ time, version, overdue, waits } = {}] = await read(() => rows(STATE))
  const { finding, remedy } = explain(writeFailure())
  const hours = Math.round(Number(overdue) / HOUR_MS)
  return {
    time: Number(time),
    checks: [
      writeFailure() ? fail('writes', finding, remedy) : pass('writes', 'SQLite accepts writes'),
      waits
        ? pass('persistence', 'each commit waits for the disk')
        : fail('persistence', 'a power failure loses the last writes', 'Do not set `pragma synchronous`'),
      await checkSpace(file),
      hours < 1
        ? pass('sweep', 'expired data is deleted')
        : warn('sweep', `expired data is kept, the oldest for ${hours} h`, 'Check whether writes fail'),
      pass('version', `SQLite ${String(version)}`),
    ],
  }
}

async function checkSpace(file: string): Promise<StoreCheck> {
  const found = await Promise.all([stat(file), statfs(path.dirname(file))]).catch(() => undefined)
  if (!found)
    return fail('space', 'the SQLite file was deleted or moved while it is open', 'Restore a backup')
  const [{ size }, { bavail, bsize }] = found
  const [used = 0, free = 0] = [size, bavail * bsize].map((bytes) => Math.round(bytes / MEBIBYTE))
  const message = `the file has ${used} MiB, and ${free} MiB of its disk are free`
  return free < MIN_FREE_MEBIBYTES
    ? warn('space', message, 'Free space: when the disk is full, writes are rejected')
    : pass('space', message)
}

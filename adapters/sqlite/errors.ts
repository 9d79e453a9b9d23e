import { GatehouseError, storeUnavailable } from '../../src/errors.ts'

/** Relies on: SQLite and the drivers report failures with these texts, which quote no stored data. */
const EXPLANATIONS: readonly (readonly [RegExp, finding: string, remedy: string])[] = [
  [/disk is full/, 'the disk of the SQLite file is full', 'Free space: the store then continues by itself'],
  [
    /readonly/,
    'the SQLite file is read-only',
    'Open it for writing, and check the rights to its folder and to the files that end with -wal and -shm',
  ],
  [/malformed|not a database/, 'the SQLite file is corrupt', 'Restore a backup: see docs/sqlite.md'],
  [/I\/O error|unable to open/, 'the disk of the SQLite file fails', 'Check the disk, and use a local one'],
  [/not open|finalized/, 'the host has closed the database', 'Close the store before the database'],
  [/within a trans|executing/, 'the host uses the connection of the store', 'Give the store one of its own'],
]

/** What an error of the driver means, and what the operator can do. */
export function explain(error: unknown): { readonly finding: string; readonly remedy: string } {
  const text = messageOf(error)
  const [, finding = `SQLite failed: ${text}`, remedy = 'Check the file and its disk'] =
    EXPLANATIONS.find(([pattern]) => pattern.test(text)) ?? []
  return { finding, remedy }
}

export function storeFailure(error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error
  const { finding, remedy } = explain(error)
  return storeUnavailable(`${finding}. ${remedy}`, error)
}

/** Whether another connection has locked the file. */
export const isBusy = (error: unknown) => /is locked|locking protocol/.test(messageOf(error))

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

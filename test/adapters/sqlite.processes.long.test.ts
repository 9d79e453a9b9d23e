import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { compileHostProgram, type HostProgram } from '../support/host-process.ts'
import { FOREIGN } from '../support/sqlite.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'
import type { SqliteProcessOptions, Written } from '../support/sqlite-process-main.ts'

describeWithSqlite('two processes on one file of SQLite, for ten seconds', () => {
  const files = sqliteFiles()
  let program: HostProgram<SqliteProcessOptions>
  beforeAll(async () => {
    program = await compileHostProgram<SqliteProcessOptions>('sqlite-process-main')
  })
  afterAll(() => program?.remove())

  it('each process gets at least a third of the writes, and its event loop is held for at most 50 ms', async () => {
    const file = files.newFile()
    const both = await Promise.all([0, 1].map(() => program.start({ file, foreign: FOREIGN })))
    const written = (await Promise.all(both.map((each) => each.ask('write 10000')))) as Written[]
    console.info('two processes have written', written)
    const all = written.reduce((sum, { writes }) => sum + writes, 0)
    for (const { writes, maxDelayMs } of written) {
      expect(writes).toBeGreaterThan(all / 3)
      expect(maxDelayMs).toBeLessThanOrEqual(50)
    }
  })
})

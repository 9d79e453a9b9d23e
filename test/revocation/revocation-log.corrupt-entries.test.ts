import { expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createRevocationLog, type RevocationLog } from '../../src/revocation/revocation-log.ts'

const START = 1_800_000_000_000

/** Corrupt members of an index. Several of these members sort after all members of the log. */
const CORRUPT_MEMBERS = [
  '!',
  'no-colon',
  'zz',
  `zz${'x'.repeat(5000)}`,
  '🙂',
  'null',
  '9999999999999:not-json',
]

async function readAll(log: RevocationLog, start?: string): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor = start
  for (let more = true, pages = 0; more; pages += 1) {
    const page = await log.read(cursor)
    for (const { id } of page.revocations) ids.add(id)
    ;({ cursor, more } = page)
    expect(pages).toBeLessThan(50)
  }
  return ids
}

it.each([
  ['in a bucket', 'revocations:buckets:', undefined],
  ['among the recent revocations', 'revocations:recent:', String(START - 1000)],
])(
  'corrupt members %s hide no revocation, even if corrupt members fill whole pages',
  async (_, kind, cursor) => {
    const inner = memoryStore()
    const indexes = new Set<string>()
    const store = {
      ...inner,
      add: async (...args: Parameters<typeof inner.add>) => {
        indexes.add(args[0])
        return inner.add(...args)
      },
    }
    const log = createRevocationLog(store, { now: () => START })
    const until = START / 1000 + 3600
    await log.add(
      Array.from({ length: 1500 }, (_each, at) => ({ of: 'token' as const, id: `t${at}`, until })),
    )
    const index = [...indexes].find((name) => name.startsWith(kind)) ?? ''
    // Some pages begin or end with corrupt members, and some pages contain only corrupt members.
    for (const head of ['!', '0000', 'A', 'M', 'a', 'zz', '1800000000000', '~']) {
      for (let at = 0; at < 400; at += 1) await inner.add(index, `${head}${at}`)
    }
    for (const member of CORRUPT_MEMBERS) await inner.add(index, member)
    const ids = await readAll(log, cursor)
    expect(ids.size).toBe(1500)
  },
)

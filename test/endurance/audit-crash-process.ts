/** One process of `audit-crash.ts`: it renames API keys as fast as it can, and reports each rename that was answered. */
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'
import type { AuditEntry } from '../../src/audit/entry.ts'
import type { Question, Report } from '../../bench/processes.ts'

/** The options of a process, passed as JSON. */
export interface AuditProcessOptions {
  readonly redisUrl: string
  readonly port: number
  readonly name: string
}

/** Questions to a process: make this number of changes; read the whole trail. */
export type Ask = 'change' | 'read'

/** API keys that are renamed, and renames at the same time. */
const KEYS = 200
const CONCURRENCY = 32

const { redisUrl, name } = JSON.parse(process.argv[2] ?? '') as AuditProcessOptions
const gatehouse = createGatehouse({
  issuer: 'http://localhost:3000/auth',
  audience: 'http://localhost:3000/api',
  secret: 'the secret of a measurement, in no use elsewhere',
  store: redisStore(new Redis(redisUrl)),
  accounts: { find: (id) => ({ id }) },
  products: {},
})
await gatehouse.ready()

async function change(count: number): Promise<void> {
  const ids: string[] = []
  for (let at = 0; at < KEYS; at += 1) {
    const { apiKey } = await gatehouse.apiKeys.create({ accountId: `acme-${at % 20}`, name: 'Key' })
    ids.push(apiKey.clientId)
  }
  let next = 0
  async function work(): Promise<void> {
    for (let at = (next += 1); at <= count; at = next += 1) {
      const actor = `${name}-${at}`
      await gatehouse.apiKeys.update(
        ids[at % KEYS] ?? '',
        { name: `Key ${at}` },
        { actor, address: '192.0.2.1' },
      )
      tell({ event: actor })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

async function read(): Promise<Pick<AuditEntry, 'id' | 'actor' | 'clientId'>[]> {
  const entries = []
  let since: string | undefined
  // The reader stops and goes on from its cursor.
  for (let isEnd = false; !isEnd;) {
    isEnd = true
    let count = 0
    for await (const { entry, cursor } of gatehouse.audit.read({ since })) {
      entries.push({ id: entry.id, actor: entry.actor, clientId: entry.clientId })
      since = cursor
      count += 1
      isEnd = count < 777
      if (!isEnd) break
    }
  }
  return entries
}

function tell(report: Report<string>): void {
  process.send?.(report)
}

process.on('message', ({ number, ask, about }: Question<Ask>) => {
  void (ask === 'change' ? change(about as number) : read()).then((value) => tell({ number, value }))
})
tell({ ready: true })

import type { Store } from 'koa-gatehouse'
import type { Audit } from '../../src/audit/audit.ts'
import type { WithOutbox } from '../../src/audit/recording.ts'
import type { Changeable } from '../../src/commit/changeable.ts'
import { createCommits, type Finishers } from '../../src/commit/commit.ts'
import type { EventSink } from '../../src/host/events.ts'
import { silentLogger, type Logger } from '../../src/host/logger.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocations, type Revocations } from '../../src/revocation/revoke-tokens.ts'
import { createCollection } from '../../src/store/collection.ts'
import { auditOf } from '../audit/setup.ts'

/** The index of the changes that are not finished. */
export const UNFINISHED = 'changes:unfinished'

/** Makes and finishes the changes of one process. By default it revokes in the store, and knows no revocation. */
export function commitsOf(
  store: Store,
  parts: {
    readonly audit?: Audit
    readonly revocations?: Pick<Revocations, 'revokeAs'>
    readonly events?: EventSink
    readonly logger?: Logger
    readonly now?: (() => number) | undefined
  } = {},
) {
  const { now } = parts
  const longestLifetime = createLongestLifetime(store, 864_000)
  const log = createRevocationLog(store, { now })
  const revocations =
    parts.revocations ?? createRevocations({ log, set: createRevocationSet(), longestLifetime, now })
  const events = { emit() {} }
  return createCommits({
    store,
    longestLifetime,
    audit: auditOf(store, now ? { now } : {}),
    events,
    logger: silentLogger,
    ...parts,
    revocations,
  })
}

/** A record for tests: the client `id`, whose tokens below `epoch` are revoked. */
export interface Thing extends WithOutbox {
  readonly epoch: number
}

export function thing(store: Store, id: string) {
  const records = createCollection<Thing>(store, { name: 'thing', version: 1 })
  const changeable: Changeable<Thing> = {
    key: records.key(id),
    subject: { of: 'client', id },
    async change(write, ready) {
      const confirmed = (found?: Thing) => write(found) ?? found
      return { stored: await records.put(id, confirmed, { beforeWrite: () => ready }) }
    },
  }
  return {
    changeable,
    get: () => records.get(id),
    create: (epoch: number) => records.create(id, { epoch }),
    revocations: (stored: Thing | undefined) =>
      stored ? [{ of: 'client', id, below: stored.epoch } as const] : [],
  }
}

/** Finishes the changes of clients. No other kind of subject has anything to finish. */
export function finishersOf(client: Finishers['client']): Finishers {
  const nothing = async () => []
  return { client, grant: nothing, account: nothing, host: nothing }
}

import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import {
  createRevocationFollower,
  type StalenessPolicy,
  type RevocationFollower,
} from './revocation-follower.ts'
import { createRevocationSet, type RevocationSet } from './is-revoked.ts'
import type { RevocationSource } from './revocation-source.ts'

/** The revocations that this process knows, in memory, and the follower that keeps them fresh. */
export interface KnownRevocations extends RevocationSet, RevocationFollower {}

/**
 * Creates a set of revocations that follows a source, and emits events when the set becomes stale or fresh.
 * The set does no I/O before `start()`.
 */
export function createRevocationView(parts: {
  readonly source: RevocationSource
  readonly policy: StalenessPolicy
  readonly logger: Logger
  readonly events: EventSink
}): KnownRevocations {
  const { events, ...rest } = parts
  const set = createRevocationSet()
  const follower = createRevocationFollower({
    ...rest,
    set,
    onFreshness: ({ isStale, ageSeconds }) =>
      events.emit(isStale ? 'revocations.stale' : 'revocations.fresh', { ageSeconds }),
  })

  // Copies the getters of both objects, because copies of the current values would never change.
  return Object.defineProperties({} as KnownRevocations, {
    ...Object.getOwnPropertyDescriptors(follower),
    ...Object.getOwnPropertyDescriptors(set),
  })
}

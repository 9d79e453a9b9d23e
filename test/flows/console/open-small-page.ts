import { expect } from 'vitest'
import type { Page } from '../../support/browser.ts'
import type { RoundTrip, SlowStore } from '../../support/round-trips.ts'
import type { ConsoleHost } from './setup.ts'

/** The maximum number of bytes of a page that lists many things. */
const MAX_BYTES = 20_000

/**
 * Opens a page, which must be small, and counts its round trips. Opens it twice, because the first request may load scripts
 * into Redis, and counts the second request.
 */
export async function openSmallPage(
  visitor: ReturnType<ConsoleHost['visit']>,
  path: string,
  slow: SlowStore,
): Promise<{ body: string; trips: RoundTrip[] }> {
  await visitor.get(path)
  let page: Page | undefined
  const trips = await slow.of(async () => (page = await visitor.get(path)))
  expect(page?.status).toBe(200)
  const { body = '' } = page ?? {}
  expect(Buffer.byteLength(body)).toBeLessThan(MAX_BYTES)
  return { body, trips }
}

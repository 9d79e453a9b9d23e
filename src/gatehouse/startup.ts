import { loadFeatures } from '../authorization-server/provider/features/load-features.ts'
import { createStartFailures } from '../host/start-failures.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Parts } from './parts.ts'
import type { BuildProvider } from './wire-authorization-server.ts'

type Stop = () => void | Promise<void>

export const READY_TIMEOUT_MS = 10_000

export type Start = ReturnType<typeof createStart>

/** Wires the start of the service: what runs first, and what runs in the background. Nothing is started yet. */
export function createStart(parts: Parts, buildProvider: BuildProvider) {
  const startFailed = createStartFailures(parts.logger, 'gatehouse')
  const lifecycle = createLifecycle(
    () => start(parts, buildProvider),
    async ({ stop }) => stop(),
    startFailed,
  )
  return { lifecycle, startFailed, ready: () => lifecycle.ready(READY_TIMEOUT_MS) }
}

/** May be called again after a failure. */
async function start(parts: Parts, buildProvider: BuildProvider) {
  const { keys } = parts
  await parts.store.ping()
  // This write changes nothing. A store that may only be read, or whose user lacks a right, fails now and not later.
  await parts.store.replace('absent', '-', '-')
  // The revocations come before the products, so that the catalog does not revoke removed operations again.
  await Promise.all([
    parts.longestLifetime.seconds(),
    parts.longestDelegatedLifetime.seconds(),
    parts.revoked.start(),
    parts.storeClock.measure(),
  ])
  const stops: Stop[] = []
  const stop = async () => void (await Promise.all(stops.map(async (end) => end())))
  try {
    stops.push(await parts.follow())
    stops.push(await parts.catalogSync.start())
    stops.push(await keys.follow())
    const features = await loadFeatures(parts)
    let built = buildProvider(keys.ring.signing, features)
    // Pending requests continue with the previous provider. Both providers keep their state in the store.
    stops.push(keys.onChanged(() => (built = buildProvider(keys.ring.signing, features))))
    stops.push(parts.commits.start(parts.finishers))
    stops.push(parts.notifyOfExpiries())
    stops.push(parts.scopeLimitCheck.start())
    stops.push(parts.gatewayKeysCheck.start())
    stops.push(parts.issuerCheck.start())
    stops.push(parts.audit.start())
    stops.push(parts.storeClock.follow())
    // The key of the erasures is now encrypted with the newest secret, so the host may remove the replaced one.
    let isStopped = false
    stops.push(() => void (isStopped = true))
    parts.erasures.reseal().catch((error: unknown) => {
      if (!isStopped) parts.logger.warn({ err: error }, 'the key of the erasures could not be read')
    })
    return {
      /** Both are replaced when the signing keys change. */
      get provider() {
        return built.provider
      },
      get answers() {
        return built.answers
      },
      features,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

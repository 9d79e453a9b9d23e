import type { Provider } from '../authorization-server/provider/build-provider.ts'
import { loadFeatures, type Features } from '../authorization-server/provider/features/load-features.ts'
import type { Erasures } from '../access/erasures.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import { createResumeRevocations, type ResumeRevocations } from '../access/resume-revocations.ts'
import { createStartFailures } from '../host/start-failures.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Documents } from './wire-documents.ts'
import type { PersonalData } from './wire-erasures.ts'
import type { Authorizations } from './wire-grants.ts'
import type { BuildProvider } from './wire-authorization-server.ts'

/** A running gatehouse. `provider` is replaced when the signing keys change. */
interface Running {
  readonly provider: Provider
  readonly features: Features
  readonly stop: Stop
}

type Stop = () => void | Promise<void>

export const READY_TIMEOUT_MS = 10_000

export type Start = ReturnType<typeof createStart>

/** Wires the start of the service. Nothing is started yet. */
export function createStart(
  core: Core,
  clients: Clients,
  { resumeGrant, resumeAccount }: Authorizations,
  { erasures }: PersonalData,
  { clearBlockedHosts }: Pick<Documents, 'clearBlockedHosts'>,
  keys: KeySource,
  buildProvider: BuildProvider,
) {
  const resume = createResumeRevocations({ ...core, ...clients, resumeGrant, resumeAccount })
  const startFailed = createStartFailures(core.logger, 'gatehouse')
  const lifecycle = createLifecycle(
    () => start(core, clients, erasures, clearBlockedHosts, keys, buildProvider, resume),
    async ({ stop }) => stop(),
    startFailed,
  )
  return { lifecycle, startFailed, ready: () => lifecycle.ready(READY_TIMEOUT_MS) }
}

/** May be called again after a failure. */
async function start(
  core: Core,
  clients: Clients,
  erasures: Erasures,
  clearBlockedHosts: Documents['clearBlockedHosts'],
  keys: KeySource,
  buildProvider: BuildProvider,
  resumeRevocations: ResumeRevocations,
): Promise<Running> {
  await core.store.ping()
  // This write changes nothing. A store that may only be read, or whose user lacks a right, fails now and not later.
  await core.store.replace('absent', '-', '-')
  // The revocations are read before the products. So the catalog knows which removed operations are revoked
  // already, and does not revoke them again.
  await Promise.all([
    core.longestLifetime.seconds(),
    core.longestDelegatedLifetime.seconds(),
    core.revoked.start(),
    core.storeClock.measure(),
  ])
  const stops: Stop[] = []
  const stop = async () => void (await Promise.all(stops.map(async (end) => end())))
  try {
    stops.push(await clients.follow())
    stops.push(await core.catalogSync.start())
    stops.push(await keys.follow())
    const features = await loadFeatures({ ...core, ...clients })
    let provider = buildProvider(keys.ring.signing, features)
    // Pending requests continue with the previous provider. Both providers keep their state in the store.
    stops.push(keys.onChanged(() => (provider = buildProvider(keys.ring.signing, features))))
    stops.push(resumeRevocations.start())
    stops.push(clients.indexCompletion.start())
    stops.push(clients.notifyOfExpiries())
    stops.push(clients.hygieneCheck.start())
    stops.push(clients.gatewayKeysCheck.start())
    stops.push(await clearBlockedHosts())
    stops.push(core.issuerCheck.start())
    stops.push(core.audit.start())
    stops.push(core.storeClock.follow())
    // If the host has a new secret, the key of the erasures is now encrypted with the new secret. The host may later
    // remove the replaced secret from its options.
    let isStopped = false
    stops.push(() => void (isStopped = true))
    erasures.reseal().catch((error: unknown) => {
      if (!isStopped) core.logger.warn({ err: error }, 'the key of the erasures could not be read')
    })
    return {
      get provider() {
        return provider
      },
      features,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

import Keygrip from 'keygrip'
import compose from 'koa-compose'
import type { Middleware } from 'koa'
import { afterReady } from '../after-ready.ts'
import { catalogLookups } from '../catalog/lookups.ts'
import { GatehouseError } from '../errors.ts'
import { createStartFailures } from '../host/start-failures.ts'
import type { Gatehouse } from '../gatehouse.ts'
import { createGatewayFrom } from '../gateway/gateway.ts'
import { createTokenVerifier } from '../gateway/verify-token.ts'
import { createPages } from '../interaction/pages.ts'
import { createTexts } from '../interaction/texts.ts'
import { registerInternals } from '../internals.ts'
import { checkKeys } from '../health/key-check.ts'
import { checkProducts } from '../health/product-check.ts'
import { soon } from '../scheduling/soon.ts'
import { createStoreHealth } from '../health/store-health.ts'
import { takeStock } from '../health/take-stock.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { KeyCondition } from '../keys/signing-keys.ts'
import { createLifecycle } from '../lifecycle.ts'
import { authorizationService } from '../mount/authorization-service.ts'
import { keySetMaxAge } from '../mount/key-set.ts'
import { createPlainHttpWarning } from '../mount/plain-http.ts'
import { wellKnown } from '../mount/well-known.ts'
import type { GatehouseOptions } from '../options.ts'
import type { BuiltProvider } from '../provider/build-provider.ts'
import { createInteractionAdmission } from '../provider/interaction-admission.ts'
import { createInteractionPort } from '../provider/interaction-port.ts'
import { checkInput, optional, type Rule } from '../registry/input.ts'
import { resolveSettings } from '../settings/resolve-settings.ts'
import { createMemoryWatch } from '../store/memory-watch.ts'
import { createStart } from '../start.ts'
import { createAccountChanges } from '../taking-back/accounts.ts'
import { createTokens } from '../taking-back/tokens.ts'
import { createTokensOfAccount } from '../taking-back/tokens-of-account.ts'
import { createUnfinished } from '../taking-back/unfinished.ts'
import { createAuthorizations } from './authorizations.ts'
import { createBase } from './base.ts'
import { createClients } from './clients.ts'
import { createKeySource } from './key-source.ts'
import { createMoving } from './moving.ts'

/** Milliseconds that `ready()` waits unless told otherwise. */
const PATIENCE = 10_000

const timeoutRule: Rule = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must be a number of milliseconds, from 0'

/** Whether what is signed now is good. */
function canSign({ isStale, isSigningRevoked }: KeyCondition): boolean {
  return !isStale && !isSigningRevoked
}

/** Puts a gatehouse together; see `createGatehouse`. */
export function assemble(options: GatehouseOptions): Gatehouse {
  const settings = resolveSettings(options)
  const { logger } = settings
  if (settings.store.volatile) {
    logger.info({}, 'the store is in memory: it forgets everything when this process ends')
  }
  const keysFor = (purpose: 'cookies' | 'csrf') =>
    settings.secrets.map((secret) => deriveKey(secret, purpose))

  const base = createBase(settings)
  const { store, events, accounts, catalog, catalogAgreement, revoked, revocations } = base
  const { registry, clientTokens, clientChanged, usage, apiKeys, applications, follow } = createClients(base)
  const { grants, grantsOfUsers, finishGrant, finishAccount, ...authorizations } = createAuthorizations(base)
  const keys = createKeySource(base)
  const tokensOfAccount = createTokensOfAccount(clientTokens, grants)
  const pages = createPages({ texts: createTexts(settings), branding: settings.branding })

  const admission = createInteractionAdmission({
    max: settings.maxPendingInteractions,
    seconds: settings.lifetimes.signIn,
    memory: createMemoryWatch({ store, logger }),
    logger,
  })
  const start = createStart({
    ...base,
    ...authorizations,
    keys,
    registry,
    cookieKeys: new Keygrip(
      keysFor('cookies').map((key) => key.toString('base64url')),
      'sha256',
    ),
    followClients: follow,
    clientUsed: (client) => usage.touch(client.clientId),
    admission,
    pages,
    follower: revoked,
    unfinished: createUnfinished({ revocations, clientTokens, finishGrant, finishAccount, logger }),
    isRevoked: revoked.isRevoked,
  })
  const startFailed = createStartFailures(logger, 'gatehouse has not started: requests fail until it has')
  const lifecycle = createLifecycle(start, ({ leave }) => leave(), startFailed)
  const ready = () => lifecycle.ready(PATIENCE)

  const storeHealth = createStoreHealth(store, settings.refreshRetrySeconds || undefined)
  const check = () => [checkKeys(keys.condition, Date.now()), checkProducts(catalog)]
  const accessTokens: Parameters<typeof createTokenVerifier>[0] = {
    issuer: settings.issuer,
    audience: settings.audience,
    getKey: async (header, token) => (await lifecycle.ready(settings.startTimeoutMs)).getKey(header, token),
  }
  const gateway = createGatewayFrom({
    ...accessTokens,
    ...catalogLookups(catalog),
    revocations: revoked,
    events,
    ready: async () => void (await ready()),
    begin: lifecycle.begin,
    startFailed,
    close: async () => {},
    storeHealth,
    check,
    startTimeoutMs: settings.startTimeoutMs,
    tokenCacheBytes: settings.tokenCacheBytes,
    logger,
  })

  const parts = {
    settings,
    catalog,
    registry,
    accounts,
    events,
    pages,
    csrfKeys: keysFor('csrf'),
    revocationSource: base.revocationLog,
    warnOnPlainHttp: createPlainHttpWarning(settings),
    keySetMaxAge: keySetMaxAge(
      'jwks' in settings.signingKeys ? Infinity : settings.signingKeys.publishAheadSeconds,
    ),
    async ready() {
      const running = await lifecycle.ready(settings.startTimeoutMs)
      await keys.keepUp()
      return running
    },
  }
  const service = { ...parts, port: createInteractionPort(requireBuilt, parts) }
  const verify = createTokenVerifier(accessTokens)
  const gatehouse: Gatehouse = {
    on: events.on,
    off: events.off,
    apiKeys: afterReady(apiKeys, ready),
    applications: afterReady(applications, ready),
    grants: afterReady(grants, ready),
    tokens: afterReady(createTokens({ verify, revocations, clientTokens, tokensOfAccount }), ready),
    accounts: afterReady(
      createAccountChanges({ accounts, catalog, clientTokens, tokensOfAccount, grantsOfUsers }),
      ready,
    ),
    signingKeys: afterReady({ list: keys.list, rotate: keys.rotate, revoke: keys.revoke }, ready),
    gateway,
    middleware() {
      lifecycle.begin()
      return compose([wellKnown(service, gateway), authorizationService(service)]) as Middleware
    },
    wellKnown() {
      lifecycle.begin()
      return wellKnown(service, gateway)
    },
    catalog: {
      async reload() {
        await ready()
        await catalogAgreement.reload()
      },
    },
    health: () =>
      takeStock({
        start: lifecycle,
        works: () => soon(parts.ready, settings.startTimeoutMs),
        storeHealth,
        check,
        revocations: revoked,
        isReady: ({ works, isStoreUsable }) => works && isStoreUsable && canSign(keys.condition),
      }),
    ...createMoving({
      base,
      keys,
      clientTokens,
      clientChanged,
      grantLives: authorizations.grantLives,
      ready,
    }),
    async ready(options = {}) {
      checkInput('gatehouse.ready()', options, { timeoutMs: optional(timeoutRule) })
      await lifecycle.ready(options.timeoutMs ?? PATIENCE)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  registerInternals(gatehouse, { settings, store, catalog, signingKey })
  return gatehouse

  function requireBuilt(): BuiltProvider {
    if (lifecycle.running) return lifecycle.running.built
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  async function signingKey() {
    const { keyRing } = await ready()
    const key = keyRing.signing.find(({ alg }) => alg === 'ES256')
    if (!key) throw new GatehouseError('ERR_NOT_READY', 'there is no key for access tokens')
    return key
  }

  async function close(): Promise<void> {
    const stopped = lifecycle.close()
    authorizations.families.close()
    base.stopProbing()
    await Promise.all([stopped, revoked.close(), gateway.close()])
  }
}

import type { Context, Middleware } from 'koa'
import type { CurrentCatalog } from '../catalog/catalog.ts'
import type { CheckedAccounts } from '../host/checked-accounts.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import { answerError, answerErrorAsJson } from '../http/error-answer.ts'
import type { Pages } from '../interaction/pages.ts'
import type { InteractionPort } from '../interaction/port.ts'
import { interactionRoutes, type InteractionOptions } from '../interaction/routes.ts'
import type { BuiltProvider } from '../provider/build-provider.ts'
import { METHODS, REVOCATION_FEED, ROUTES } from '../provider/routes.ts'
import { runProvider } from '../provider/run-provider.ts'
import type { CheckedRegistry } from '../registry/checked-registry.ts'
import type { RevocationSource } from '../tokens/revocations/revocation-source.ts'
import { checkRequest } from './check-request.ts'
import { answerKeySet } from './key-set.ts'
import { AUTHORIZATION_PARAMETERS, LOGOUT_PARAMETERS, postToGet } from './post-to-get.ts'
import { fail, isForPrograms } from './failure.ts'
import type { PlainHttpWarning } from './plain-http.ts'
import { createRevocationFeed } from './revocation-feed.ts'
import { normalize, service } from './service.ts'

/** What the authorization service is handed. */
export interface AuthorizationServiceParts {
  readonly settings: {
    readonly issuer: string
    readonly mountPath: string
    readonly logger: Logger
    readonly signInAttempts: InteractionOptions['signInAttempts']
  }
  readonly accounts: CheckedAccounts
  readonly catalog: CurrentCatalog
  readonly port: InteractionPort
  readonly pages: Pages
  readonly csrfKeys: readonly Uint8Array[]
  readonly events: EventSink
  readonly registry: CheckedRegistry
  readonly revocationSource: RevocationSource
  readonly warnOnPlainHttp: PlainHttpWarning
  /** Seconds for which anybody may keep the keys. */
  readonly keySetMaxAge: number
  /** Waits until it runs, as long as a request may wait. */
  ready(): Promise<{ built: BuiltProvider; keyRing: { published: { keys: readonly object[] } } }>
}

/**
 * Everything below {auth_url}: keys, revocations, the pages of an interaction, forms that other sites post, and for
 * the rest oidc-provider.
 */
export function authorizationService(parts: AuthorizationServiceParts): Middleware {
  const { settings, pages, registry, revocationSource } = parts
  const { issuer, signInAttempts } = settings
  const interaction = interactionRoutes({ ...parts, issuer, signInAttempts })
  const feed = createRevocationFeed({ registry, source: revocationSource, realm: issuer })

  async function keySet(ctx: Context, path: string): Promise<boolean> {
    if (normalize(path) !== ROUTES.jwks) return false
    answerKeySet(ctx, (await parts.ready()).keyRing.published, parts.keySetMaxAge)
    return true
  }

  async function revocations(ctx: Context, path: string): Promise<boolean> {
    if (normalize(path) !== REVOCATION_FEED) return false
    await feed(ctx)
    return true
  }

  async function postedForm(ctx: Context, path: string): Promise<boolean> {
    const route = normalize(path)
    const parameters = POSTED[route]
    if (ctx.method !== 'POST' || !parameters) return false
    const refusal = await postToGet(ctx, new URL(issuer + route), parameters)
    if (refusal) {
      const description = 'the form could not be read'
      answerError(ctx, pages, { ...refusal, error: 'invalid_request', text: 'errorBody', description })
    }
    return true
  }

  async function provider(ctx: Context, path: string): Promise<boolean> {
    const checked = await checkRequest(ctx, path, { issuer, events: parts.events })
    if ('form' in checked) {
      return runProvider((await parts.ready()).built.provider, ctx, path, checked.form)
    }
    if (isForPrograms(path)) answerErrorAsJson(ctx, checked.rejection)
    else answerError(ctx, pages, { ...checked.rejection, text: 'errorBody' })
    return true
  }

  return service({
    mountPath: settings.mountPath,
    owns: (path) => OWN_PATHS.test(path),
    methods: METHODS,
    ready: async () => void (await parts.ready()),
    answerers: [keySet, revocations, interaction, postedForm, provider],
    fail: fail(parts),
    warnOnPlainHttp: parts.warnOnPlainHttp,
  })
}

/** What begins like one of our addresses; a host may have pages of its own below {auth_url}. */
const OWN_PATHS =
  /^\/(oauth2|interaction|\.well-known\/(openid-configuration|oauth-authorization-server))(\/|$)/i

const POSTED: Readonly<Record<string, readonly string[]>> = {
  [ROUTES.authorization]: AUTHORIZATION_PARAMETERS,
  [ROUTES.end_session]: LOGOUT_PARAMETERS,
}

import { errors, type Configuration, type Provider } from 'oidc-provider'
import { emitAppError } from '../../host/emit-app-error.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { answerError, errorFields } from '../../http/error-response.ts'
import type { ProviderPages } from './dependencies.ts'
import { redirectUriError } from './endpoints/authorize/redirect-uri-errors.ts'
import { FAILED, isStoreUnavailable, logFailure, UNAVAILABLE } from './errors.ts'
import { errorOf, type ProviderResponse } from './fix-responses.ts'
import { requestState } from './request-state.ts'
import { isForPrograms } from './routes.ts'
import { NotNow } from './seam/errors.ts'

/** Renders an error that is not redirected to the application. The page reveals no cause of our own failures. */
export function createRenderError(pages: ProviderPages): NonNullable<Configuration['renderError']> {
  return async function renderError(ctx, out, error) {
    if (error instanceof NotNow) ctx.set('Retry-After', String(error.retryAfter))
    const isTemporary = isStoreUnavailable(error)
    const failure = isTemporary ? UNAVAILABLE : FAILED
    const { error: code, error_description: description } =
      !isTemporary && error instanceof errors.OIDCProviderError ? out : failure
    const answer = {
      status: isTemporary ? error.status : ctx.status,
      error: code,
      description: redirectUriError(ctx, error) ?? description ?? failure.error_description,
      state: out.state,
    }
    if (!isForPrograms(ctx.path)) return answerError(ctx, pages, answer)
    // An object, as oidc-provider writes it for `Accept: application/json`: `fixResponses` handles both.
    ctx.status = Math.max(answer.status, 400)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = errorFields(answer)
  }
}

/**
 * Reports failures on our side to the log, the host's app and the event `error`. oidc-provider answers each with 500
 * in its own words. If the store is unavailable, the answer becomes 503: the client may retry (RFC 9110 10.2.3 and
 * 15.6.4).
 *
 * Relies on: the event comes after oidc-provider has written the response, and before it is sent.
 */
export function reportFailures(
  provider: Provider,
  { events, logger }: { readonly events: EventSink; readonly logger: Logger },
): void {
  provider.on('server_error', (context, error) => {
    const ctx: ProviderResponse = context
    const isTemporary = isStoreUnavailable(error)
    if (errorOf(ctx) === 'server_error') ctx.body = { ...(isTemporary ? UNAVAILABLE : FAILED) }
    if (isTemporary) {
      ctx.status = error.status
      ctx.set({ ...error.headers })
    } else emitAppError(requestState(ctx).host, error)
    logFailure(logger, error, { route: ctx.oidc?.route })
    events.emit('error', { error })
  })
}

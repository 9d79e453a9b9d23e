import { errors, type Configuration, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { documentOf } from '../../clients/documents/document-application.ts'
import { emitAppError } from '../../host/emit-app-error.ts'
import { personOf } from '../../host/subject.ts'
import { answerError, errorFields } from '../../http/error-response.ts'
import { recordOf, requestState } from './request-state.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { failureResponse, isServiceUnavailable, logFailure } from './service-unavailable.ts'
import { errorOf, type ProviderResponse } from './fix-responses.ts'
import { isForPrograms } from './routes.ts'
import { NotNow } from './seam/errors.ts'

/** Renders an error that is not redirected to the application, without the cause of a failure on our side. */
export function createRenderError(
  pages: ProviderDependencies['pages'],
): NonNullable<Configuration['renderError']> {
  return async function renderError(ctx, out, error) {
    if (error instanceof NotNow) ctx.set('Retry-After', String(error.retryAfter))
    const failure = failureResponse(error)
    const isOAuthError = error instanceof errors.OIDCProviderError
    const answer = {
      status: isServiceUnavailable(error) ? failure.status : ctx.status,
      error: isOAuthError ? out.error : failure.error,
      description:
        (redirectUriError(ctx, error) ?? (isOAuthError && out.error_description)) || failure.description,
      state: out.state,
    }
    if (!isForPrograms(ctx.path)) return answerError(ctx, pages, answer)
    // `fixResponses` must find one form of error bodies, whatever `Accept` says.
    ctx.status = Math.max(answer.status, 400)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = errorFields(answer)
  }
}

/** Resolves with whether it answered an error that must not be redirected to its application. */
export type AnswerHere = (ctx: KoaContextWithOIDC, out: Record<string, unknown>) => Promise<boolean>

/**
 * The errors of a client that any stranger may have published are redirected only if the person has decided, or has
 * approved the client before: strangers could redirect any browser to any address (RFC 9700 4.11.2).
 */
export function createAnswerHere(parts: ProviderDependencies): AnswerHere {
  return async function answerHere(ctx, out) {
    const { client, session, result, entities } = ctx.oidc
    const document = client && documentOf(recordOf(client))
    const isDecided = result?.consent ?? entities.Interaction?.result?.error === 'access_denied'
    if (!client || !document?.isOfAnyHost || isDecided) return false
    const application = { clientId: client.clientId, document }
    const subject = session?.accountId
    if (subject !== undefined && (await parts.consents.hasApproved(personOf(subject), application)))
      return false
    const { error, error_description, state } = out as Record<string, string>
    const answer = { status: ctx.status, error: String(error), description: String(error_description), state }
    answerError(ctx, parts.pages, { ...answer, text: 'errorOfClient', client: document.host })
    return true
  }
}

/** One description for three causes, so that strangers cannot distinguish the causes. */
const NO_APPLICATION =
  'no enabled application has this client_id; check the client_id, or enable the application. An API key cannot be ' +
  'used here, because it acts on the account of its owner only'

function redirectUriError(ctx: KoaContextWithOIDC, error: Error): string | undefined {
  if (error instanceof errors.InvalidClient) return requestState(ctx).documentProblem ?? NO_APPLICATION
  if (!(error instanceof errors.InvalidRedirectUri) || !ctx.oidc.client) return undefined
  const client = recordOf(ctx.oidc.client)
  return client.kind === 'application' && client.redirectUris.length === 0
    ? 'no redirect URI is registered for this application yet'
    : 'redirect_uri is not registered for this application; redirect URIs are compared character by character'
}

/**
 * Reports failures on our side to the log, the host's app and the event `error`. A temporary failure gets 503, so
 * that the client may retry (RFC 9110 15.6.4), and is not reported to the host's app.
 *
 * Relies on: oidc-provider emits `server_error` after it has written the response, and before it is sent.
 */
export function reportFailures(provider: Provider, { events, logger }: ProviderDependencies): void {
  provider.on('server_error', (context, error) => {
    const ctx: ProviderResponse = context
    const { status, headers, error: code, description } = failureResponse(error)
    if (errorOf(ctx) === 'server_error') ctx.body = { error: code, error_description: description }
    if (isServiceUnavailable(error)) {
      ctx.status = status
      ctx.set({ ...headers })
    } else emitAppError(requestState(ctx).host, error)
    logFailure(logger, error, { route: ctx.oidc?.route })
    events.emit('error', { error })
  })
}

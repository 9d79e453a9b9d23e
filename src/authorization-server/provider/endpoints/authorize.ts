import { errors, interactionPolicy, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import type { SignedIn } from '../../../host/accounts.ts'
import { personOf, subjectOf } from '../../../host/subject.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import { checkRequestedScope, describeResource } from '../delegated-scopes.ts'
import type { ProviderParts } from '../dependencies.ts'
import { requestState } from '../request-state.ts'
import { namedResource } from '../resource-indicator.ts'
import { notRedirected } from '../seam/errors.ts'
import {
  discardAnswers,
  isReturnFromPages,
  replaceSessionIds,
  type ProviderSession,
} from '../seam/sessions.ts'
import { hintCheck, keepSubjectOfHint } from './authorize/id-token-hint.ts'
import { loadExistingGrant } from './authorize/load-existing-grant.ts'
import { findTooLong } from './authorize/parameter-limits.ts'

// The authorization endpoint (RFC 6749 3.1; OpenID Connect Core 3.1.2).

/** RFC 6749, 7636, 8707; OpenID Connect Core 3.1.2.1. */
export const AUTHORIZATION_PARAMETERS: readonly string[] = [
  'acr_values',
  'claims',
  'claims_locales',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'ui_locales',
]

/** Which prompts, modes and parameters an authorization request may have. The session of the host replaces ours. */
export function authorizationOptions(parts: ProviderParts) {
  const { issuer, requirePkce } = parts.settings
  const policy = promptPolicy()
  const checksBefore = ['login', 'select_account'].flatMap((name) => policy.get(name)?.checks ?? [])

  return {
    responseTypes: ['code'],
    pkce: {
      required: (_ctx, client) =>
        requirePkce || client.clientAuthMethod === 'none' || isDocumentId(client.clientId),
    },
    allowOmittingSingleRegisteredRedirectUri: true,
    extraParams: {
      // Applications must not request the mode `fragment`, which exists only for errors (`seam/seam.ts`).
      // Relies on: oidc-provider accepts a request for every mode that exists.
      response_mode(_ctx: KoaContextWithOIDC, mode) {
        if (mode === 'fragment') throw new errors.UnsupportedResponseMode()
      },
      // Relies on: when oidc-provider calls this, it has checked the other parameters, and not yet loaded the account.
      async scope(ctx: KoaContextWithOIDC, scope, client) {
        keepSubjectOfHint(ctx)
        requireShortParameters(ctx)
        await syncHostSession(parts, ctx)
        await checkRequestedScope(parts, ctx, scope, client)
      },
    },
    loadExistingGrant: (ctx) => loadExistingGrant(parts, checksBefore, ctx),
    interactions: {
      policy,
      url: (_ctx, { uid }) => `${new URL(issuer).pathname.replace(/\/$/, '')}/interaction/${uid}`,
    },
    // oidc-provider leaves out this field, which OpenID Connect Prompt Create 1.0 defines.
    discovery: { prompt_values_supported: ['none', ...policy.map(({ name }) => name)] },
  } satisfies Configuration
}

/** RFC 8707. Each authorization request, and each grant, is for one resource. */
export function resourceIndicators(
  parts: ProviderParts,
): NonNullable<NonNullable<Configuration['features']>['resourceIndicators']> {
  return {
    enabled: true,
    defaultResource: async (_ctx, _client, repeated) => namedResource(repeated, parts.resources).address,
    useGrantedResource: async () => true,
    async getResourceServerInfo(ctx, resource, client) {
      // Relies on: at a return from our pages, oidc-provider awaits this hook first, and then loads the account.
      if (isReturnFromPages(ctx)) await syncHostSession(parts, ctx)
      return describeResource(parts, ctx, resource, client)
    },
  }
}

function promptPolicy() {
  const policy = interactionPolicy.base()
  const signInChecks = policy.get('login')?.checks
  signInChecks?.remove('id_token_hint')
  signInChecks?.add(hintCheck)
  // `loadExistingGrant` decides this for each redirect URI.
  policy.get('consent')?.checks.remove('native_client_prompt')
  // A person who has just signed in has already chosen an account, so `select_account` comes after `login`.
  // Our consent page serves this prompt, because it offers to use another account.
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 1)
  return policy
}

/** An error about `state` is not redirected: the redirect would repeat it, too long for a proxy. */
function requireShortParameters({ oidc }: KoaContextWithOIDC): void {
  const tooLong = findTooLong(oidc.params ?? {})
  if (!tooLong) return
  const error = new errors.InvalidRequest(tooLong.description)
  throw tooLong.name === 'state' ? notRedirected(error) : error
}

/**
 * Synchronizes our session in the browser with the host's session, so that a person gets no code after signing out at
 * the host, or after their account was deleted. Without `accounts.current`, it only checks that the account exists.
 */
async function syncHostSession({ accounts, accountLookup }: ProviderParts, ctx: KoaContextWithOIDC) {
  const state = requestState(ctx)
  if (state.isSessionSynced) return
  state.isSessionSynced = true

  const session = ctx.oidc.session as ProviderSession
  const before = signedInAs(session)
  const atHost = accounts.current ? (await accounts.current(state.host)) || undefined : before
  const current = atHost && (await accountLookup.find(ctx, atHost)) ? atHost : undefined

  const subject = current && subjectOf(current)
  if ((before && subjectOf(before)) !== subject) {
    signOut(ctx, session)
    // Without the time of the sign-in, no `auth_time` is issued, and `max_age` demands a new sign-in.
    if (subject !== undefined) session.loginAccount({ accountId: subject, loginTs: current?.signedInAt ?? 0 })
  } else if (current?.signedInAt !== undefined && current.signedInAt > (session.loginTs ?? 0)) {
    session.loginTs = current.signedInAt
  }
}

function signedInAs(session: ProviderSession): SignedIn | undefined {
  if (session.accountId === undefined) return undefined
  return { ...personOf(session.accountId), signedInAt: session.loginTs }
}

/** The pending authorization requests of the previous person can no longer be completed. */
function signOut(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  session.authorizations = undefined
  session.loginTs = undefined
  delete session.accountId
  // The answers on the pages came from the previous person, so they are discarded.
  if (isReturnFromPages(ctx)) discardAnswers(ctx)
  replaceSessionIds(ctx, session)
}

import type { Context } from 'koa'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import { applicationScopes } from '../../../../catalog/resolve-scopes.ts'
import type { Account } from '../../../../host/accounts.ts'
import { personOf, subjectOf } from '../../../../host/subject.ts'
import type { InteractionPort, PendingInteraction } from '../../../interaction/port.ts'
import type { Application } from '../../../../clients/client.ts'
import type { ProviderDependencies } from '../../dependencies.ts'
import { writeDecision } from './load-existing-grant.ts'
import type { BuiltProvider } from '../../build-provider.ts'
import { ROUTES } from '../../routes.ts'
import { hintedSubject, NOT_HINTED } from './id-token-hint.ts'
import type { GrantWithVersions } from '../../seam/sessions.ts'

type Details = Awaited<ReturnType<Provider['interactionDetails']>>
type Session = Awaited<ReturnType<Provider['Session']['get']>>

/**
 * What the pages need, in terms of oidc-provider's interactions.
 *
 * @param built the authorization server in force now
 */
export function createInteractionPort(
  built: () => BuiltProvider,
  deps: Pick<ProviderDependencies, 'settings' | 'catalog' | 'registry' | 'accounts' | 'events'>,
): InteractionPort {
  const { settings, catalog, registry, accounts, events } = deps
  const { openIdScopes } = settings

  async function detailsOf(ctx: Context): Promise<Details | undefined> {
    try {
      return await built().provider.interactionDetails(ctx.req, ctx.res)
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined
      throw error
    }
  }

  /** Answers the interaction. Where another answer was there first, that one counts, and this one for nothing. */
  async function finish(
    ctx: Context,
    pending: PendingInteraction,
    result: InteractionResults,
    mergeWithLastSubmission: boolean,
  ): Promise<{ readonly counts: boolean; readonly next: URL }> {
    const { provider } = built()
    try {
      const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission })
      return { counts: true, next: new URL(returnTo) }
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error
      const details = await detailsOf(ctx)
      return { counts: false, next: details?.result ? new URL(details.returnTo) : addressOf(pending) }
    }
  }

  /** Its own address, which says that it is over. */
  const addressOf = ({ uid }: PendingInteraction) => new URL(`${settings.issuer}/interaction/${uid}`)

  function requestableScopes(details: Details, application: Application, developer: Account): string[] {
    const allowed = applicationScopes(catalog.current, application, developer.kycLevel)
    const requested = words(details.params['scope'])
    return requested.filter((scope) => openIdScopes.includes(scope) || allowed.includes(scope))
  }

  const failed: InteractionPort['failed'] = async (ctx, pending, error, description) => {
    const result = { error, error_description: description }
    const { counts, next } = await finish(ctx, pending, result, false)
    if (counts && error === 'access_denied') {
      const { application, account } = pending
      const { clientId } = application
      events.emit('consent.denied', { clientId, accountId: account?.accountId, userId: account?.userId })
    }
    return next
  }

  /** Our session in this browser, with its changes not yet saved. */
  function sessionOf(ctx: Context): Promise<Session> {
    return built().provider.Session.get(ctx)
  }

  return {
    async find(ctx, uid) {
      const details = await detailsOf(ctx)
      const application = details && (await registry.find(String(details.params['client_id'])))
      if (!details || details.uid !== uid || application?.kind !== 'application' || application.disabled) {
        return undefined
      }
      const subject = details.session?.accountId
      const person = subject === undefined ? undefined : personOf(subject)
      const [developer, account, stored] = await Promise.all([
        accounts.find(application.accountId, application.userId),
        person && accounts.find(person.accountId, person.userId),
        person && built().consents.get(person, application.clientId),
      ])
      // Nobody answers for it any more: then it is as if it were disabled, and nobody is asked about it.
      if (!developer) return undefined
      return {
        uid,
        prompt: details.prompt.name === 'login' ? 'login' : 'consent',
        startedAt: details.iat,
        application: {
          clientId: application.clientId,
          name: application.name,
          homepageUri: application.homepageUri,
          logoUri: application.logoUri,
          developerName: text(developer.claims?.['name']),
          products: application.products,
        },
        redirectOrigin: new URL(String(details.params['redirect_uri'])).origin,
        ...(person && account && { account: { ...person, ...displayNames(account) } }),
        requestedScopes: requestableScopes(details, application, developer),
        storedConsent: stored?.consent ?? { granted: [], denied: [] },
        uiLocales: words(details.params['ui_locales']),
        loginHint: text(details.params['login_hint']),
        // Somebody is signed in, and is asked to sign in all the same.
        reauthenticate: details.prompt.name === 'login' && isReauthentication(details),
        accessLifetime: settings.lifetimes.refreshToken,
      } satisfies PendingInteraction
    },

    async signedIn(ctx, pending, who) {
      const [details, session] = await Promise.all([detailsOf(ctx), sessionOf(ctx)])
      const subject = subjectOf(who)
      const hinted = hintedSubject(details?.params)
      if (hinted !== undefined && hinted !== subject)
        return failed(ctx, pending, 'login_required', NOT_HINTED)
      const login = { accountId: subject, ts: who.signedInAt ?? 0, remember: true }
      const { counts, next } = await finish(ctx, pending, { login, ...ACCOUNT_SELECTED }, false)
      if (counts && session.accountId !== undefined && session.accountId !== subject) await leave(session)
      return next
    },

    async approved(ctx, pending, decision) {
      const { provider, consents } = built()
      const person = requireAccount(pending)
      const { clientId } = pending.application
      const grant = new provider.Grant({ accountId: subjectOf(person), clientId })
      const { versions } = await consents.get(person, clientId)
      ;(grant as GrantWithVersions).versions = versions
      writeDecision(grant, settings.audience, openIdScopes, decision)
      const grantId = await grant.save()
      const { counts, next } = await finish(ctx, pending, { consent: { grantId }, ...ACCOUNT_SELECTED }, true)
      if (!counts) {
        await grant.destroy()
        return next
      }
      await consents.update(person, clientId, decision, versions)
      const { accountId, userId } = person
      const { granted, denied } = decision
      events.emit('consent.approved', { clientId, accountId, userId, grantId, scopes: granted, denied })
      return next
    },

    failed,

    async restart(ctx, pending, options) {
      const details = await detailsOf(ctx)
      if (hintedSubject(details?.params) !== undefined) {
        // Nobody else may go on, and the token that named them is not kept.
        const next = await failed(ctx, pending, 'login_required', NOT_HINTED)
        if (options?.endSession) await leave(await sessionOf(ctx))
        return next
      }
      if (options?.endSession) await leave(await sessionOf(ctx))
      const address = new URL(`${settings.issuer}${ROUTES.authorization}`)
      for (const [name, value] of Object.entries(details?.params ?? {})) {
        if (typeof value === 'string') address.searchParams.set(name, value)
      }
      return address
    },
  }

  /** Signs our session out, but keeps it: what the browser is in the middle of goes on in it. */
  async function leave(session: Session): Promise<void> {
    delete session.accountId
    session.authorizations = undefined
    if (session.exp) await session.persist()
  }
}

function requireAccount(pending: PendingInteraction) {
  if (pending.account) return pending.account
  throw new TypeError('consent without anybody who is signed in')
}

function isReauthentication(details: Details): boolean {
  return words(details.params['prompt']).includes('login') || details.session?.accountId !== undefined
}

/** `prompt=select_account` (OpenID Connect Core 3.1.2.1) is answered by signing in, and by going on as who is shown. */
const ACCOUNT_SELECTED = { select_account: {} }

/** What to call people to themselves, with what tells two accounts of theirs apart. Others are shown no more than a name. */
function displayNames({ id, claims }: Account): { name: string; login?: string | undefined } {
  const login = text(claims?.['email']) ?? text(claims?.['preferred_username'])
  const name = text(claims?.['name']) ?? login ?? id
  return name === login ? { name } : { name, login }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function words(value: unknown): string[] {
  return text(value)?.split(' ').filter(Boolean) ?? []
}

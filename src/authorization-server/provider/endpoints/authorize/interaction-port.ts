import type { Context } from 'koa'
import { errors, type InteractionResults, type Provider } from 'oidc-provider'
import { applicationScopes, limitToPerson } from '../../../../catalog/resolve-scopes.ts'
import type { Resource } from '../../../../catalog/resources.ts'
import type { Client } from '../../../../clients/client.ts'
import type { DocumentResolver } from '../../../../clients/documents/resolve-document.ts'
import { developerOf } from '../../../../clients/documents/document-application.ts'
import { isUsable } from '../../../../clients/why-no-token.ts'
import { requesterOf } from '../../../../audit/entry.ts'
import type { Account } from '../../../../host/accounts.ts'
import { personOf, subjectOf } from '../../../../host/subject.ts'
import type { InteractionPort, PendingInteraction } from '../../../interaction/port.ts'
import {
  destinationOf,
  presentAccount,
  presentApplication,
  text,
} from '../../../interaction/present-parties.ts'
import type { SharedDependencies } from '../../dependencies.ts'
import { interactionKey } from '../../models/interactions.ts'
import { refreshTokenLifetime } from '../../lifetimes.ts'
import { ROUTES } from '../../routes.ts'
import { hintedSubject, NOT_HINTED } from './id-token-hint.ts'
import { writeDecision } from './load-existing-grant.ts'

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

interface Parts extends SharedDependencies {
  readonly documents: (() => Promise<Pick<DocumentResolver, 'approving'>>) | undefined
  /** Each key rotation replaces the provider. */
  readonly provider: () => Provider
}

/** Does what a person decided on our pages: sign in, approve (stores grant and consent), deny (stores no consent). */
export function createInteractionPort(parts: Parts): InteractionPort {
  return {
    find: find.bind(undefined, parts),
    signedIn: signedIn.bind(undefined, parts),
    signInRejected: signInRejected.bind(undefined, parts),
    approved: approved.bind(undefined, parts),
    failed: failed.bind(undefined, parts),
    restart: restart.bind(undefined, parts),
  }
}

type Method<Name extends keyof InteractionPort> = (
  parts: Parts,
  ...parameters: Parameters<InteractionPort[Name]>
) => ReturnType<InteractionPort[Name]>

const find: Method<'find'> = async (parts, ctx, uid) => {
  const { settings, resources, registry, accounts, consents } = parts
  const details = await detailsOf(parts, ctx)
  if (details?.uid !== uid) return undefined
  const application = await registry.find(String(details.params['client_id']))
  if (application?.kind !== 'application' || !isUsable(application, settings)) return undefined

  // A deployment may have removed the resource while the person was on the page. The request then has no scopes.
  const resource = resources.find(details.params['resource'])
  const subject = details.session?.accountId
  const person = subject === undefined ? undefined : personOf(subject)
  const [developer, company, account, stored] = await Promise.all([
    developerOf(application, (owner) => accounts.find(owner.accountId, owner.userId)),
    // The page shows the name of the account, even if the application belongs to a user of the account.
    application.userId !== undefined && accounts.find(application.accountId),
    person && accounts.find(person.accountId, person.userId),
    person && resource && consents.get(person, application, resource.address),
  ])
  // If the host no longer has the developer's account, the application is treated as disabled.
  if (!developer) return undefined
  const presented = presentApplication(application, company || developer)
  const document = presented.document && { ...presented.document, hasChanged: stored?.hasChanged }
  const prompt = details.prompt.name === 'login' ? 'login' : 'consent'
  return {
    uid,
    prompt,
    startedAt: details.iat,
    application: document ? { ...presented, document } : presented,
    resource,
    resourceTitle: resource === resources.main ? undefined : resource?.title,
    destination: destinationOf(application, String(details.params['redirect_uri'])),
    ...(person && account && { account: { ...person, ...presentAccount(account) } }),
    requestedScopes: resource
      ? requestableScopes(settings, resource, details, { application, developer, account })
      : [],
    storedConsent: stored?.consent ?? { granted: [], denied: [] },
    uiLocales: words(details.params['ui_locales']),
    loginHint: text(details.params['login_hint']),
    reauthenticate:
      prompt === 'login' && (subject !== undefined || words(details.params['prompt']).includes('login')),
    accessLifetime: refreshTokenLifetime(application, settings.lifetimes),
  }
}

function requestableScopes(
  { openIdScopes }: Parts['settings'],
  { catalog }: Resource,
  { params }: Details,
  parties: { application: Client; developer: Account; account: Account | undefined },
): string[] {
  const { application, developer, account = {} } = parties
  const ofApplication = applicationScopes(catalog.current, application, developer.kycLevel)
  const allowed = limitToPerson(account, ofApplication)
  return words(params['scope']).filter((scope) => openIdScopes.includes(scope) || allowed.includes(scope))
}

const signedIn: Method<'signedIn'> = async (parts, ctx, pending, who) => {
  const [details, session] = await Promise.all([detailsOf(parts, ctx), sessionOf(parts, ctx)])
  const subject = subjectOf(who)
  if ((hintedSubject(details?.params) ?? subject) !== subject) {
    return failed(parts, ctx, pending, 'login_required', NOT_HINTED)
  }
  const login = { accountId: subject, ts: who.signedInAt ?? 0, remember: true }
  const { counts, next } = await finish(parts, ctx, pending, { login, ...ACCOUNT_SELECTED })
  if (counts && session.accountId !== undefined && session.accountId !== subject) await signOut(session)
  return next
}

const signInRejected: Method<'signInRejected'> = ({ audit, events }, ctx, { application }) => {
  const failure = { clientId: application.clientId, ...requesterOf(ctx) }
  audit.reject({ name: 'sign_in.rejected', ...failure })
  events.emit('sign_in.rejected', failure)
}

const approved: Method<'approved'> = async (parts, ctx, pending, decision) => {
  const { settings, consents, events, commits } = parts
  const { account, application, resource } = pending
  if (!account || !resource) throw new TypeError('consent needs a person who is signed in, and a resource')
  const { accountId, userId } = account
  const { clientId } = application
  parts.memory.requireSpace()
  const { versions } = await consents.get(account, application, resource.address)
  if (application.document) {
    // The approval is recorded first, so that a later block of the host finds the person's grant.
    const documents = await parts.documents?.()
    await documents?.approving(clientId, account)
  }
  const { Grant } = parts.provider()
  const grant = new Grant({ accountId: subjectOf(account), clientId })
  writeDecision(grant, settings, resource.address, decision, versions)
  const grantId = await grant.save().catch((error: unknown) => {
    if (error instanceof errors.TemporarilyUnavailable) return error
    throw error
  })
  if (typeof grantId !== 'string') {
    return failed(parts, ctx, pending, 'temporarily_unavailable', grantId.error_description ?? '')
  }
  const result = { consent: { grantId }, ...ACCOUNT_SELECTED }
  const { granted, denied } = decision
  const details = { clientId, accountId, userId, grantId, scopes: granted, denied }
  const entry = { name: 'consent.approved', ...details, ...requesterOf(ctx) }
  const proof = { key: interactionKey(pending.uid), text: grantId }
  const begun = await commits.begin({ entry, proof })
  const { counts, next } = await finish(parts, ctx, pending, result, { merge: true })
  if (!counts) {
    commits.cancel(begun)
    await grant.destroy()
    return next
  }
  await consents.update(account, clientId, resource.address, decision, versions)
  await commits.end(begun)
  events.emit('consent.approved', details)
  return next
}

const failed: Method<'failed'> = async (parts, ctx, pending, error, description) => {
  const answer = { error, error_description: description }
  if (error !== 'access_denied') return (await finish(parts, ctx, pending, answer)).next
  const { application, account, requestedScopes: denied } = pending
  const { clientId } = application
  const details = { clientId, accountId: account?.accountId, userId: account?.userId }
  const entry = { name: 'consent.denied', ...details, denied, ...requesterOf(ctx) }
  const proof = { key: interactionKey(pending.uid), text: JSON.stringify({ error }).slice(1, -1) }
  const begun = await parts.commits.begin({ entry, proof }, true)
  const { counts, next } = await finish(parts, ctx, pending, answer)
  if (!counts) {
    parts.commits.cancel(begun)
    return next
  }
  await parts.commits.end(begun)
  parts.events.emit('consent.denied', details)
  return next
}

/** The ID token of `id_token_hint` was not stored, and another person must not continue: this fails. */
const restart: Method<'restart'> = async (parts, ctx, pending, { endSession } = { endSession: false }) => {
  const params = (await detailsOf(parts, ctx))?.params ?? {}
  const isHinted = hintedSubject(params) !== undefined
  const next = isHinted
    ? await failed(parts, ctx, pending, 'login_required', NOT_HINTED)
    : new URL(`${parts.settings.issuer}${ROUTES.authorization}`)
  if (endSession) await signOut(await sessionOf(parts, ctx))
  if (isHinted) return next
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'string') next.searchParams.set(name, value)
  }
  return next
}

async function detailsOf({ provider }: Parts, ctx: Context): Promise<Details | undefined> {
  try {
    return await provider().interactionDetails(ctx.req, ctx.res)
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/** If another request has already stored an answer, that answer stays, and the result has `counts: false`. */
async function finish(
  parts: Parts,
  ctx: Context,
  pending: PendingInteraction,
  result: InteractionResults,
  { merge = false } = {},
): Promise<{ readonly counts: boolean; readonly next: URL }> {
  try {
    const options = { mergeWithLastSubmission: merge }
    const returnTo = await parts.provider().interactionResult(ctx.req, ctx.res, result, options)
    return { counts: true, next: new URL(returnTo) }
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
    const details = await detailsOf(parts, ctx)
    // If the earlier answer is still stored, the browser continues with it. Otherwise a page says that it is over.
    const next = details?.result ? details.returnTo : `${parts.settings.issuer}/interaction/${pending.uid}`
    return { counts: false, next: new URL(next) }
  }
}

type Session = Awaited<ReturnType<typeof sessionOf>>

function sessionOf({ provider }: Parts, ctx: Context) {
  return provider().Session.get(ctx)
}

/** Keeps the session, because pending authorization requests need it. */
async function signOut(session: Session): Promise<void> {
  delete session.accountId
  session.authorizations = undefined
  if (session.exp) await session.persist()
}

/** The person has also selected the account that the page shows (OpenID Connect Core 3.1.2.1). */
const ACCOUNT_SELECTED = { select_account: {} }

function words(value: unknown): string[] {
  return text(value)?.split(' ').filter(Boolean) ?? []
}

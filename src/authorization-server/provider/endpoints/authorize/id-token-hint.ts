import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check } = interactionPolicy

/** Why nobody else gets a code, for the application. */
export const NOT_HINTED = 'id_token_hint names somebody else than the person who is signed in'

/**
 * Puts the subject of an `id_token_hint` in its place: parameters are stored while a person is waited for, and an ID
 * token is not for that.
 *
 * Relies on: the hint has been verified by now, and nobody reads the parameter as a token later.
 */
export function keepSubjectOfHint({ oidc }: KoaContextWithOIDC): void {
  const hint = oidc.entities.IdTokenHint
  if (hint) Object.assign(oidc.params ?? {}, { id_token_hint: hint.payload.sub })
}

/** The subject that the parameters of an authorization request demand; undefined for whoever signs in. */
export function hintedSubject(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const subject = params?.['id_token_hint']
  return typeof subject === 'string' ? subject : undefined
}

/**
 * Whether the person who is signed in is the one that `id_token_hint` names (OpenID Connect Core 3.1.2.1), also when
 * they come back from the pages: oidc-provider's own check knows the hint of the request that brings it alone.
 */
export const hintCheck = new Check('id_token_hint', NOT_HINTED, 'login_required', ({ oidc }) => {
  const subject = hintedSubject(oidc.params)
  const isAnother = subject !== undefined && subject !== oidc.session?.accountId
  return isAnother ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
})

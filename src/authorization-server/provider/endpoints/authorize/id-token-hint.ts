import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check } = interactionPolicy

export const NOT_HINTED = 'id_token_hint names another person than the one who is signed in'

/**
 * Replaces `id_token_hint` by the subject of that ID token, because the parameters are stored, and an ID
 * token must not be.
 *
 * Relies on: oidc-provider has verified the hint before this call, and does not read the parameter as a token after it.
 */
export function keepSubjectOfHint({ oidc }: KoaContextWithOIDC): void {
  const hint = oidc.entities.IdTokenHint
  if (hint) Object.assign(oidc.params ?? {}, { id_token_hint: hint.payload.sub })
}

export function hintedSubject(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const subject = params?.['id_token_hint']
  return typeof subject === 'string' ? subject : undefined
}

/**
 * Checks that `id_token_hint` names the person who is signed in (OpenID Connect Core 3.1.2.1).
 * oidc-provider's own check works only if the current request contains the hint, so not after our pages.
 */
export const hintCheck = new Check('id_token_hint', NOT_HINTED, 'login_required', ({ oidc }) => {
  const subject = hintedSubject(oidc.params)
  const isAnother = subject !== undefined && subject !== oidc.session?.accountId
  return isAnother ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
})

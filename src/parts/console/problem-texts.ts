import { GatehouseError, type GatehouseErrorCode, type Problem, type ProblemCode } from '../../errors.ts'
import { html, type Html } from '../../http/html.ts'
import type { Reader } from './reader-formats.ts'
import type { TextName } from './texts.ts'

/** Errors about a submitted form. The page is shown again with the problem. */
const ERRORS = {
  ERR_SCOPE_TOO_LARGE: 'problemScopeTooLarge',
  ERR_CONFLICT: 'problemConflict',
  ERR_CHANGED: 'problemConflict',
  ERR_TWO_SECRETS: 'problemConflict',
  ERR_ONE_SECRET: 'problemConflict',
  ERR_SECRETS_CHANGED: 'problemConflict',
  ERR_DISABLED_BY_OPERATOR: 'stateByOperatorWhy',
  ERR_TOO_MANY_CLIENTS: 'problemTooManyClients',
  ERR_SIGNING_KEYS_READ_ONLY: 'problemSigningKeysReadOnly',
} as const satisfies { readonly [Code in GatehouseErrorCode]?: TextName }

type FormError = keyof typeof ERRORS | 'ERR_INVALID_ARGUMENT'

/** What is wrong with a submitted form. A problem with an empty path concerns the whole form. */
export interface FormProblem extends Omit<Problem, 'code'> {
  readonly code: ProblemCode | FormError | 'form-expired'
}

/** The words for each code. An invalid argument without problems is an error of the host, in the host's words. */
const TEXTS: Readonly<Record<Exclude<FormProblem['code'], 'ERR_INVALID_ARGUMENT'>, TextName>> = {
  required: 'problemRequired',
  unknown: 'problemUnknown',
  type: 'problemType',
  empty: 'problemRequired',
  format: 'problemFormat',
  choice: 'problemChoice',
  range: 'problemRange',
  'too-early': 'problemTooEarly',
  'too-late': 'problemTooLate',
  'too-long': 'problemTooLong',
  'too-many': 'problemTooMany',
  characters: 'problemCharacters',
  duplicate: 'problemDuplicate',
  'not-found': 'problemNotFound',
  'not-allowed': 'problemNotAllowed',
  network: 'problemNetwork',
  'network-all': 'problemNetworkAll',
  'network-spelling': 'problemNetworkSpelling',
  url: 'problemUrl',
  'url-characters': 'problemUrlCharacters',
  'url-https': 'problemUrlHttps',
  'url-https-or-loopback': 'problemUrlHttpsOrLoopback',
  'url-credentials': 'problemUrlCredentials',
  'url-fragment': 'problemUrlFragment',
  'url-wildcard': 'problemUrlWildcard',
  'url-spelling': 'problemUrlSpelling',
  'urls-too-long': 'problemUrlsTooLong',
  'url-http': 'problemUrlHttp',
  'url-redirect': 'problemUrlRedirect',
  origin: 'problemOrigin',
  'public-application': 'problemPublicApplication',
  'first-party': 'problemFirstParty',
  'public-key': 'problemPublicKey',
  'private-key': 'problemPrivateKey',
  'key-leaked': 'problemKeyLeaked',
  'key-type': 'problemKeyType',
  'form-expired': 'problemFormExpired',
  ...ERRORS,
}

/** The problem of a form that was open for too long. */
export const EXPIRED: FormProblem = { path: '', code: 'form-expired', message: 'the form has expired' }

/** What is wrong with a submitted form; empty if the error has another cause. */
export function problemsOf(error: unknown): readonly FormProblem[] {
  if (!(error instanceof GatehouseError)) return []
  const { code, problems, message } = error
  if (code !== 'ERR_INVALID_ARGUMENT' && !Object.hasOwn(TEXTS, code)) return []
  if (problems.length > 0) return problems
  return [{ path: '', code: code as FormError, message: message.split('\n', 1)[0] ?? '' }]
}

/** Says what is wrong in the words of the page. The host's own problems are in the host's words. */
export function problemText({ code, message, min, max, expected }: FormProblem, texts: Reader): Html {
  if (code === 'ERR_INVALID_ARGUMENT' || !Object.hasOwn(TEXTS, code))
    return html`<span lang="en" dir="ltr">${message}</span>`
  const spelling = expected === undefined ? undefined : html`<code dir="ltr">${expected}</code>`
  return html`<span>${texts.html(TEXTS[code], { min, max, expected: spelling })}</span>`
}

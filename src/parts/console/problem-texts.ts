import { GatehouseError, type GatehouseErrorCode, type Problem, type ProblemCode } from '../../errors.ts'
import { html, type Html } from '../../http/html.ts'
import type { Reader } from './reader-formats.ts'
import { english, type ConsoleTexts, type TextName } from './texts.ts'

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
  readonly code: ProblemCode | FormError | 'form-expired' | 'no-product' | 'other-name'
}

/** Rejects a form with problems of which only the console knows. The page is shown again with all of them. */
export class FormMistakes extends Error {
  readonly problems: readonly FormProblem[]

  constructor(problems: readonly FormProblem[]) {
    super('the form has mistakes')
    this.problems = problems
  }
}

type OwnCode = Exclude<FormProblem['code'], FormError | 'empty'>

/** `UrlHttps` of `url-https`. */
type Words<Code extends string> = Code extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Words<Rest>}`
  : Capitalize<Code>

/** The text of `url-https` is `problemUrlHttps`. The compiler reports a code without such a text. */
const TEXTS: Pick<ConsoleTexts, `problem${Words<OwnCode>}`> = english

/** Undefined if the problem is the host's, in the host's words. */
function textOf(code: string): TextName | undefined {
  if (code === 'empty') return 'problemRequired'
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code as keyof typeof ERRORS]
  const name = `problem-${code}`.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(TEXTS, name) ? (name as keyof typeof TEXTS) : undefined
}

/** The problem of a form that was open for too long. */
export const EXPIRED: FormProblem = { path: '', code: 'form-expired', message: 'the form has expired' }

/** What is wrong with a submitted form; empty if the error has another cause. */
export function problemsOf(error: unknown): readonly FormProblem[] {
  if (error instanceof FormMistakes) return error.problems
  if (!(error instanceof GatehouseError)) return []
  const { code, problems, message } = error
  if (code !== 'ERR_INVALID_ARGUMENT' && !Object.hasOwn(ERRORS, code)) return []
  if (problems.length > 0) return problems
  return [{ path: '', code: code as FormError, message: message.split('\n', 1)[0] ?? '' }]
}

/** Says what is wrong in the words of the page. The host's own problems are in the host's words. */
export function problemText({ code, message, min, max, expected }: FormProblem, texts: Reader): Html {
  const text = textOf(code)
  if (text === undefined) return html`<span lang="en" dir="ltr">${message}</span>`
  const spelling = expected === undefined ? undefined : html`<code dir="ltr">${expected}</code>`
  return html`<span>${texts.html(text, { min, max, expected: spelling })}</span>`
}

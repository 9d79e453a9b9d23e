import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { FormMistakes, problemText, type FormProblem } from '../problem-texts.ts'
import type { Call, FormState } from '../page-types.ts'
import type { TextName } from '../texts.ts'

export function hidden(name: string, value: HtmlValue): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** A form that is sent to its own page, with the CSRF token. */
export function form(
  { self, csrfToken }: Pick<Call, 'self' | 'csrfToken'>,
  { action, isInline, id }: { action: string; isInline?: boolean; id?: string },
  content: HtmlValue,
): Html {
  return html`<form
    method="post"
    action="${self}"
    ${id !== undefined && html`id="${id}"`}
    ${isInline && html`class="inline"`}
  >
    ${hidden('csrf', csrfToken)}${hidden('action', action)}${content}
  </form>`
}

interface FieldOptions {
  readonly name: string
  readonly label: HtmlValue
  /** If the form was rejected, the submitted value is shown. */
  readonly value?: string | undefined
  readonly hint?: HtmlValue
  readonly type?: 'text' | 'url' | 'lines' | 'date' | undefined
  readonly isRequired?: boolean | undefined
  readonly maxLength?: number | undefined
  readonly autocomplete?: string | undefined
  readonly isFocused?: boolean | undefined
  /** A monospaced font, no spelling check, from left to right. */
  readonly isCode?: boolean | undefined
}

/** A text field with its problems. */
export function field({ form: sent, problems, texts }: FormState, options: FieldOptions): Html {
  const { name, label, hint, type = 'text', isRequired, isFocused, isCode } = options
  const { maxLength, autocomplete } = options
  const own = problemsAt(name, problems)
  const value = sent.get(name) ?? options.value ?? ''
  // Browsers drop a line break at the beginning of a textarea, so an empty first line needs two line breaks.
  const first = /^\r?\n/.test(value) && '\n'
  const below = [hint !== undefined && 'hint', own.length > 0 && 'problem'].filter(Boolean)
  const described = below.map((each) => `${name}-${each}`)
  const attributes = html`id="${name}" name="${name}" ${isRequired && 'required'} ${isFocused && 'autofocus'}
  ${maxLength !== undefined && html`maxlength="${maxLength}"`}
  ${autocomplete !== undefined && html`autocomplete="${autocomplete}"`}
  ${described.length > 0 && html`aria-describedby="${described.join(' ')}"`}
  ${own.length > 0 && html`aria-invalid="true"`} ${isCode && html`class="code" spellcheck="false" dir="ltr"`}`
  const control =
    type === 'lines'
      ? html`<textarea ${attributes}>${first}${value}</textarea>`
      : html`<input type="${type}" value="${value}" ${attributes} />`
  const sentences = own.map((problem) => {
    const line = lineOf(problem.path, value)
    const text = problemText(problem, texts)
    return html`<span
      >${line === undefined ? text : texts.html('problemInLine', { count: line, problem: text })}</span
    > `
  })
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`} ${control}
    ${own.length > 0 && html`<p class="problem" id="${name}-problem">${sentences}</p>`}
  </div>`
}

/** One of several choices of the same name. */
export function radio(name: string, value: string, isChecked: boolean, title: Html, hint?: Html): Html {
  const input = html`<input type="radio" name="${name}" value="${value}" ${isChecked && 'checked'} />`
  return choice(input, title, hint)
}

/** @param input a radio button or a check box */
export function choice(input: Html, title: Html, hint?: Html): Html {
  return html`<label class="choice"
    >${input}<span class="tight"
      ><strong>${title}</strong>${hint && html`<span class="hint">${hint}</span>`}</span
    ></label
  >`
}

/** The problems whose path begins with a name, such as `redirectUris[1]`. */
export function problemsAt(name: string, problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.filter(({ path }) => path === name || path.startsWith(`${name}[`))
}

/** The field in which a person types the name of what is deleted for good. @param name as the page shows it */
export function typedName(call: FormState, name: string, text: TextName = 'clientsDeleteName'): Html {
  const label = call.texts.html(text, { name })
  return field(call, { name: 'name', label, isRequired: true, autocomplete: 'off' })
}

/** @throws {FormMistakes} if none of the names was typed */
export function requireTypedName({ form: sent }: Pick<Call, 'form'>, ...names: readonly string[]): void {
  if (names.includes((sent.get('name') ?? '').trim())) return
  throw new FormMistakes([{ path: 'name', code: 'other-name', message: 'is another name' }])
}

function lineOf(path: string, text: string): number | undefined {
  const index = /\[(\d+)\]$/.exec(path)?.[1]
  return index === undefined ? undefined : typedLineOf(text, Number(index))
}

export function linesOf(text: string): string[] {
  return typedLines(text).map(({ line }) => line)
}

/** From 1, with the empty lines that the person typed. The index of a problem does not count them. */
export function typedLineOf(text: string | null, index: number): number {
  return typedLines(text ?? '')[index]?.number ?? index + 1
}

function typedLines(text: string): { line: string; number: number }[] {
  return text
    .split('\n')
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== '')
}

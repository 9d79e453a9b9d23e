import type { ApplicationChanges, Client } from '../../../clients/client.ts'
import type { Field, FieldForm } from '../../../clients/field-row.ts'
import { CLIENT_FIELDS } from '../../../clients/client-fields.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { Form } from '../../../http/form-body.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { html, type Html } from '../../../http/html.ts'
import { dayIn, lastDayOf, readExpiry } from '../clients/expiry-view.ts'
import type { Call, Texts } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { facts } from './elements.ts'
import { field, linesOf } from './form.ts'

/** Characters of a line. */
const MAX_SHOWN = 2000

/** The compiler reports a text that does not exist. */
const SHOWN: Readonly<Record<Client['kind'] | 'both', Readonly<Record<string, Field<TextName>>>>> =
  CLIENT_FIELDS

export const SHOWN_FIELDS = new Map(Object.values(SHOWN).flatMap((fields) => Object.entries(fields)))

export function inputNames(kind: Client['kind'], ...forms: FieldForm[]): string[] {
  return Object.entries({ ...SHOWN.both, ...SHOWN[kind] }).flatMap(([name, { input }]) =>
    forms.some((form) => input?.forms[form]) ? [name] : [],
  )
}

/** An input of a form, from the table of fields. Undefined if only other clients have it. */
export function plainInput(call: Call<Client>, name: string, form: FieldForm): Html | undefined {
  const { texts, resource: client } = call
  const { label, input, isRequired } = SHOWN_FIELDS.get(name) ?? {}
  const hints = input?.forms[form]
  const hint =
    typeof hints === 'object' ? (isPublicClient(client) && hints.public) || hints[client.kind] : hints
  if (!input || !label || !hint) return undefined
  return field(call, {
    name,
    type: input.type,
    label: texts.html(input.label ?? label),
    hint: texts.html(hint),
    value: textOf(client, name),
    isRequired,
    isCode: input.type !== 'text',
    autocomplete: 'off',
    maxLength: input.maxLength,
  })
}

function textOf(client: Client, name: string): string {
  type Value = string | number | readonly string[] | undefined
  const value = (client as unknown as Readonly<Record<string, Value>>)[name]
  if (typeof value === 'number') return lastDayOf(value)
  return typeof value === 'object' ? value.join('\n') : (value ?? '')
}

/** The fields of forms without inputs, for a person who may not change them. */
export function plainFacts(call: Texts, client: Client, ...forms: FieldForm[]): Html {
  const all = inputNames(client.kind, ...forms).map((name) => [name, textOf(client, name)] as const)
  const entries = all.filter(([, text]) => text !== '')
  return factsOf(call, entries)
}

export function factsOf({ texts }: Texts, entries: Iterable<readonly [string, string]>): Html {
  return facts(
    [...entries].map(([name, text]) => {
      const { label = 'none' } = SHOWN_FIELDS.get(name) ?? {}
      const lines = linesOf(text).map((line) => html`<bdi>${displayText(line, MAX_SHOWN)}</bdi>`)
      const shown = lines.length === 0 ? texts.html('none') : html`<div class="tight">${lines}</div>`
      return [texts.html(label), shown] as const
    }),
  )
}

/** What was typed into the inputs of forms and is not stored, without empty lines. */
export function typedTexts(sent: Form, client: Client, ...forms: FieldForm[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const name of inputNames(client.kind, ...forms)) {
    const isDay = SHOWN_FIELDS.get(name)?.input?.type === 'date'
    const lines = sent.has(name) ? linesOf(sent.get(name) ?? '').join('\n') : undefined
    const text = isDay ? dayIn(sent) : lines
    if (text !== undefined && text !== textOf(client, name)) texts.set(name, text)
  }
  return texts
}

/** The change that sets these fields. An empty field that is optional is removed. */
export function toChanges(texts: ReadonlyMap<string, string>): ApplicationChanges {
  const entries = [...texts].map(([name, text]) => {
    const { input, isRemovable } = SHOWN_FIELDS.get(name) ?? {}
    if (input?.type === 'lines') return [name, linesOf(text)]
    if (input?.type === 'date') return [name, readExpiry(text)]
    return [name, text === '' && isRemovable ? null : text]
  })
  return Object.fromEntries(entries) as ApplicationChanges
}

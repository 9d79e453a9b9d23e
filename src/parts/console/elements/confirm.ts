import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import type { Call, Confirmation, View } from '../page-types.ts'
import { buttons, panel } from './elements.ts'
import { form, hidden } from './form.ts'

type Link = { action: string; fields?: Record<string, string>; style?: string }

/** A link to the page that asks for confirmation before an action. @param fields of the form of the action */
export function confirmLink(
  { self }: Pick<Call, 'self'>,
  { action, fields, style = 'slim danger' }: Link,
  text: HtmlValue,
): Html {
  const query = new URLSearchParams({ confirm: action, ...fields })
  return html`<a class="button ${style}" href="${`${self}?${query.toString()}`}">${text}</a>`
}

/** The page of an action that asks for confirmation. @param own the fields of the form. @default those of the link */
export function confirmPage(
  call: Call,
  { title, what, use, more = [], button, values, trail, ...confirmation }: Confirmation,
  own?: Html,
): View {
  const { isDanger = own === undefined } = confirmation
  const { texts, query, self } = call
  const { confirm: action = '', ...fields } = query
  const danger = own ? 'danger final' : 'danger'
  const content = Object.entries(fields).map(([name, value]) => hidden(name, value))
  return {
    title: texts.plain(title, values),
    trail,
    body: html`<h1>${texts.html(title, values)}</h1>
      ${use}
      ${panel(
        { title: texts.html('clientsWhatHappens'), isDanger },
        html`${[what, ...more].map((each) => html`<p>${texts.html(each, values)}</p>`)}
        ${form(call, { action }, html`${own ?? content}${buttons(call, button, self, isDanger ? danger : 'primary')}`)}`,
      )}`,
  }
}

import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import type { Call, Confirmation, View } from '../page-types.ts'
import { actionRow, buttons, panel } from './elements.ts'
import { form } from './form.ts'

/** A link to the page that asks for confirmation before an action. @param fields of the form of the action */
export function confirmLink(
  { self }: Pick<Call, 'self'>,
  {
    action,
    fields,
    style = 'slim danger',
  }: { action: string; fields?: Record<string, string>; style?: string },
  text: HtmlValue,
): Html {
  const query = new URLSearchParams({ confirm: action, ...fields })
  return html`<a class="button ${style}" href="${`${self}?${query.toString()}`}">${text}</a>`
}

export function confirmRow(
  call: Pick<Call, 'self' | 'texts'>,
  action: string,
  { title, what, button }: Pick<Confirmation, 'title' | 'what' | 'button'>,
): Html {
  const { texts } = call
  return actionRow(texts.html(title), texts.html(what), confirmLink(call, { action }, texts.html(button)))
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
  const content = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  return {
    title: texts.plain(title, values),
    trail,
    body: html`<h1>${texts.html(title, values)}</h1>
      ${use}
      ${panel(
        { title: texts.html('clientsWhatHappens'), isDanger },
        html`${[what, ...more].map((each) => html`<p>${texts.html(each, values)}</p>`)}
        ${form(call, { action }, html`${own ?? content}${buttons(call, button, self, isDanger ? 'danger' : 'primary')}`)}`,
      )}`,
  }
}

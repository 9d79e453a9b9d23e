import { html, type Html, type HtmlValue } from '../../http/html.ts'

/** One of several lists that a page can show. */
interface Choice {
  readonly href: string
  readonly text: HtmlValue
  readonly isCurrent: boolean
}

/** Links between the lists that one page can show. @param label what the links choose, for screen readers */
export function choiceLinks(label: string, choices: readonly Choice[]): Html {
  return html`<nav class="choice-links" aria-label="${label}">
    ${choices.map(({ href, text, isCurrent }) => html`<a href="${href}" ${isCurrent && html`aria-current="true"`}>${text}</a>`)}
  </nav>`
}

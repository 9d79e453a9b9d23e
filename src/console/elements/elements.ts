import { html, type Html, type HtmlValue } from '../../http/html.ts'
import type { Call } from '../page.ts'

/** A part of a page with a heading. */
export function panel(
  { title, id, isDanger }: { title: HtmlValue; id?: string | undefined; isDanger?: boolean | undefined },
  content: HtmlValue,
): Html {
  return html`<section class="panel ${isDanger && 'danger'}" ${id !== undefined && html`id="${id}"`}>
    <h2>${title}</h2>
    ${content}
  </section>`
}

/** What a notice says: something went well, needs attention, or went wrong. */
type Tone = 'good' | 'warn' | 'bad'

/** A message at the top of a page. Screen readers read it when the page opens. */
export function notice(tone: Tone, content: HtmlValue): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${content}</div>`
}

/** A short state, in words and colour. */
export function badge(content: HtmlValue, tone?: Tone): Html {
  return html`<span class="badge ${tone}">${content}</span>`
}

/** A column of a table. */
interface Column {
  readonly title: HtmlValue
  /** The title in plain text. On narrow screens it is before the cell. */
  readonly label?: string | undefined
  readonly isNumber?: boolean | undefined
}

/** A table. On narrow screens each row becomes a card. The first cell is the heading of its row. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
  { caption }: { caption?: HtmlValue } = {},
): Html {
  return html`<table class="cards">
    ${
      caption !== undefined &&
      html`<caption>
        ${caption}
      </caption>`
    }
    <thead>
      <tr>
        ${columns.map(({ title, isNumber }) => html`<th scope="col" ${isNumber && html`class="number"`}>${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((value, at) => (at === 0 ? html`<th scope="row">${value}</th>` : cell(value, columns[at])))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

function cell(value: HtmlValue, column: Column | undefined): Html {
  const label = column?.label !== undefined && html`data-label="${column.label}"`
  return html`<td ${label} ${column?.isNumber && html`class="number"`}>${value}</td>`
}

/** Pairs of a name and a value. Pairs without a value are left out. */
export function facts(pairs: readonly (readonly [HtmlValue, HtmlValue])[]): Html {
  const present = pairs.filter(([, value]) => value !== undefined && value !== false)
  return html`<dl class="facts">
    ${present.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** A text to copy, such as an id or a command. Browsers without scripts do not show the button. @param id unique on the page */
export function copyable({ texts }: Pick<Call, 'texts'>, id: string, text: string): Html {
  return html`<div class="copyable">
    <code id="${id}">${text}</code
    ><button type="button" class="slim" data-copy="${id}" data-copied="${texts.plain('copiedButton')}">
      ${texts.html('copyButton')}
    </button>
  </div>`
}

/** The links to the next page of a list, and back to the first. @param cursor the cursor of the next page */
export function pager(
  { texts, to, query }: Pick<Call, 'texts' | 'to' | 'query'>,
  path: string,
  cursor: string | undefined,
): Html | undefined {
  if (cursor === undefined && query['cursor'] === undefined) return undefined
  const others = { ...query, done: undefined }
  return html`<p class="line">
    ${query['cursor'] !== undefined && html`<a href="${to(path, { ...others, cursor: undefined })}">${texts.html('firstPageLink')}</a>`}
    ${cursor !== undefined && html`<a href="${to(path, { ...others, cursor })}" rel="next">${texts.html('nextPageLink')}</a>`}
  </p>`
}

import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'

export function heading(title: HtmlValue, intro: HtmlValue): Html {
  return html`<div class="tight">
    <h1>${title}</h1>
    <p class="muted">${intro}</p>
  </div>`
}

export function panel(
  { title, id, isDanger }: { title: HtmlValue; id?: string | undefined; isDanger?: boolean | undefined },
  content: HtmlValue,
): Html {
  return html`<section class="panel ${isDanger && 'danger'}" ${id !== undefined && html`id="${id}"`}>
    <h2>${title}</h2>
    ${content}
  </section>`
}

/** In place of a list that has no rows yet, or that needs something else first. */
export function emptyPanel(title: HtmlValue, text: HtmlValue, next?: HtmlValue): Html {
  return html`<section class="panel empty">
    <h2>${title}</h2>
    <p class="muted">${text}</p>
    ${next}
  </section>`
}

/** `off` is grey: it is as a person wanted it. */
export type Tone = 'good' | 'warn' | 'bad' | 'off'

/** Screen readers read it when the page opens. */
export function notice(tone: Tone, content: HtmlValue): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${content}</div>`
}

export function badge(content: HtmlValue, tone?: Tone): Html {
  return html`<span class="badge ${tone}">${content}</span>`
}

interface Column {
  readonly title: HtmlValue
  /** In plain text. On narrow screens, each cell begins with it. */
  readonly label?: string | undefined
}

export function columns({ texts }: Pick<Call, 'texts'>, names: readonly TextName[]): Column[] {
  return names.map((name) => ({ title: texts.html(name), label: texts.plain(name) }))
}

/**
 * Panels, tables, badges. On narrow screens, a row is a card headed by its first cell.
 * @param isAlike equal columns
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
  isAlike = false,
): Html {
  const areNumbers = columns.map((_, at) => rows.some((cells) => isNumber(cells[at])))
  // A long table of numbers names the class of its cells once.
  const isOfSums = areNumbers.every((each, at) => each || at === 0)
  const classes = areNumbers.map((each) => each && !isOfSums && html` class="number"`)
  const ofCells = columns.map(({ label }, at) => html`${classes[at]}${label && html` data-label="${label}"`}`)
  return html`<table class="cards ${isAlike && 'alike'} ${isOfSums && 'sums'}">
    <thead>
      <tr>
        ${columns.map(({ title }, at) => html`<th${classes[at]} scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((value, at) => (at === 0 ? html`<th scope="row">${value}</th>` : html`<td${ofCells[at]}>${value}</td>`))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

const isNumber = (value: HtmlValue) => typeof value === 'string' && /^\p{Nd}/u.test(value)

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

/** Numbers in a row, each below its name. */
export function numbers(pairs: readonly (readonly [HtmlValue, HtmlValue])[]): Html {
  const present = pairs.filter(([, value]) => value !== undefined)
  return html`<dl class="numbers">
    ${present.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

/** A text that a button copies, if scripts run. @param id unique on the page @param label of a block of code */
export function copyable({ texts }: Pick<Call, 'texts'>, id: string, text: string, label?: string): Html {
  const code = html`<code id="${id}">${text}</code>`
  return html`<div class="copyable">
    ${label === undefined ? code : html`<pre role="group" aria-label="${label}" dir="ltr" tabindex="0">${code}</pre>`}
    <button type="button" class="slim" data-copy="${id}" data-copied="${texts.plain('copiedButton')}">
      ${texts.html('copyButton')}
    </button>
  </div>`
}

/** @param back the address of the link that leaves the form */
export function buttons(
  { texts }: Pick<Call, 'texts'>,
  button: TextName,
  back: string,
  name = 'danger',
): Html {
  return html`<div class="buttons">
    <button class="${name}">${texts.html(button)}</button>
    <a class="button plain" href="${back}">${texts.html('cancelLink')}</a>
  </div>`
}

/** Put the rows into `<ul class="items">`. */
export function actionRow(title: HtmlValue, hint: HtmlValue, button: HtmlValue): Html {
  return html`<li>
    <div class="tight">
      <h3>${title}</h3>
      <p class="hint">${hint}</p>
    </div>
    ${button}
  </li>`
}

/** @param style of links to the parts of one thing. @default filters */
export function choiceLinks(
  label: string,
  choices: readonly { readonly href: string; readonly text: HtmlValue; readonly isCurrent: boolean }[],
  style?: 'tabs',
): Html {
  return html`<nav class="choice-links ${style}" aria-label="${label}">
    ${choices.map(({ href, text, isCurrent }) => html`<a href="${href}" ${isCurrent && html`aria-current="${style === 'tabs' ? 'page' : 'true'}"`}>${text}</a>`)}
  </nav>`
}

import { html, type Html, type HtmlValue } from '../../http/html.ts'

/** A row of a list of actions: what it is, what happens then, and the button. Put the rows into `<ul class="items">`. */
export function actionRow(title: HtmlValue, hint: HtmlValue, button: HtmlValue): Html {
  return html`<li>
    <div class="tight">
      <h3>${title}</h3>
      <p class="hint">${hint}</p>
    </div>
    ${button}
  </li>`
}

import type { Catalog } from '../../catalog/catalog.ts'
import { html, type Html } from '../../http/html.ts'
import { badge } from '../elements/elements.ts'
import type { Reader } from '../reader.ts'
import { OPENID_SCOPES } from '../activity/sentence.ts'

/** The number of permissions that are visible at once. The others are one click away. */
const VISIBLE = 5

/**
 * What an application may do, in words. Sensitive operations come first, so that they are always visible. A scope that
 * is no longer in the catalog gives no access, so it is left out.
 */
export function permissions(texts: Reader, catalog: Catalog, scopes: readonly string[]): Html {
  const granted = new Set(scopes)
  const operations = [...catalog.operations.values()]
    .filter(({ scope }) => granted.has(scope))
    .toSorted((one, other) => Number(other.sensitive) - Number(one.sensitive))
    .map(
      ({ title, sensitive }) =>
        html`<li>
          ${texts.localize(title)}${sensitive && html` ${badge(texts.html('sensitiveLabel'), 'warn')}`}
        </li>`,
    )
  const aboutPerson = [...OPENID_SCOPES]
    .filter(([scope]) => granted.has(scope))
    .map(([, name]) => html`<li>${texts.html(name)}</li>`)
  const all = [...operations, ...aboutPerson]
  if (all.length === 0) return html`<p class="muted">${texts.html('connectedMayNothing')}</p>`
  // A list that hides one entry only would save no space.
  const visible = all.length > VISIBLE + 1 ? VISIBLE : all.length
  const hidden = all.slice(visible)
  return html`<div class="tight">
    <p class="muted small">${texts.html('connectedMay')}</p>
    <ul class="bullets">
      ${all.slice(0, visible)}
    </ul>
    ${
      hidden.length > 0 &&
      html`<details>
        <summary>${texts.html('moreCount', { count: hidden.length })}</summary>
        <ul class="bullets">
          ${hidden}
        </ul>
      </details>`
    }
  </div>`
}

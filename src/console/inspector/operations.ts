import type { Catalog, Product } from '../../catalog/catalog.ts'
import { html, type Html } from '../../http/html.ts'
import { displayText } from '../../http/pages/display-text.ts'
import { columns, table } from '../elements/elements.ts'
import type { Reader } from '../reader-formats.ts'

/**
 * One table for each product: the operations that the scopes allow, and the routes of each operation.
 *
 * @param productIds the products of the client. Other products are shown only for operations that the products of the
 *   client do not have. @default all products with the operations are shown
 */
export function operationTables(
  scopes: readonly string[],
  texts: Reader,
  { catalog, productIds }: { catalog: Catalog; productIds?: readonly string[] | undefined },
): Html {
  const carried = new Set(scopes)
  const ofProduct = (product: Product) => product.operations.filter(({ scope }) => carried.has(scope))
  const products = [...catalog.products.values()].filter((product) => ofProduct(product).length > 0)
  const own = products.filter(({ id }) => productIds?.includes(id))
  const covered = new Set(own.flatMap((product) => ofProduct(product).map(({ scope }) => scope)))
  const shown = products.filter(
    (product) => own.includes(product) || ofProduct(product).some(({ scope }) => !covered.has(scope)),
  )
  const others = scopes.filter((scope) => !catalog.operations.has(scope))
  return html`${shown.map(
    (product) =>
      html`<div class="tight">
        <h3><bdi>${texts.localize(product.title)}</bdi></h3>
        ${table(
          columns({ texts }, ['operationLabel', 'inspectorCall']),
          ofProduct(product).map(({ title, scope, routes }) => [
            html`<div class="tight">
              <bdi>${texts.localize(title)}</bdi><code class="muted">${scope}</code>
            </div>`,
            html`<div class="tight">
              ${routes.map(({ method, path }) => html`<code dir="ltr">${method} ${path}</code>`)}
              ${routes.length === 0 && texts.html('operationWithoutRoute')}
            </div>`,
          ]),
          true,
        )}
      </div>`,
  )}
  ${
    others.length > 0 &&
    html`<div class="tight">
      <h3>${texts.html('inspectorOtherScopes')}</h3>
      <p>
        ${texts.html('inspectorOtherScopesText', { list: html`<code>${displayText(others.join(' '), 500)}</code>` })}
      </p>
    </div>`
  }`
}

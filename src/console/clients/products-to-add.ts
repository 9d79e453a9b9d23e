import { hasRequiredKycLevel } from '../../catalog/limit-by-kyc-level.ts'
import { html, type Html } from '../../http/html.ts'
import { badge } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { ClientAccess } from './access.ts'

/** The products that a client does not have, each with its operations and a button that adds it. */
export function productsToAdd(
  { texts }: Pick<Call, 'texts'>,
  { catalog, client, kycLevel }: ClientAccess,
): Html | undefined {
  const others = [...catalog.products.values()].filter(({ id }) => !client.products.includes(id))
  if (others.length === 0) return undefined
  return html`<details ${client.products.length === 0 && 'open'}>
    <summary>${texts.html('clientsAddProducts')}</summary>
    <p class="hint">${texts.html('clientsAddHint')}</p>
    <ul class="items">
      ${others.map(({ id, title, description, operations }) => {
        const blocked = operations.filter(
          (operation) => client.kind === 'application' && !hasRequiredKycLevel(catalog, kycLevel, operation),
        ).length
        return html`<li>
          <div class="tight">
            <strong>${texts.localize(title)}</strong>
            ${description !== undefined && html`<span>${texts.localize(description)}</span>`}
            <ul class="bullets">
              ${operations.map(
                (operation) =>
                  html`<li>
                    ${texts.localize(operation.title)}
                    ${operation.sensitive && badge(texts.html('clientsSensitive'))}
                  </li>`,
              )}
            </ul>
            ${blocked > 0 && html`<span class="hint">${texts.html('clientsBlockedCount', { count: blocked })}</span>`}
          </div>
          <button class="slim" form="addProduct" name="product" value="${id}">
            ${texts.html('clientsAdd')}<span class="unseen"> ${texts.localize(title)}</span>
          </button>
        </li>`
      })}
    </ul>
  </details>`
}

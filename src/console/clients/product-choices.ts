import type { Catalog, Operation, Product } from '../../catalog/catalog.ts'
import { hasRequiredKycLevel } from '../../catalog/limit-by-kyc-level.ts'
import type { Form } from '../../http/form-body.ts'
import { html, type Html } from '../../http/html.ts'
import { badge } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { NewClientInput } from './client-kind.ts'
import type { createMissingFor } from '../../clients/access-preview.ts'
import type { Client } from '../../clients/client.ts'

/** How the choices are shown. */
export interface ChoiceOptions {
  readonly catalog: Catalog
  /** Whether operations above the KYC level of the account are marked. */
  readonly hasLevels: boolean
  /** KYC level of the account; undefined counts as the lowest level. */
  readonly kycLevel: string | undefined
  /** Whether the form was sent without a product. */
  readonly lacksProduct: boolean
}

/** The products as tick boxes, each with its operations. */
export function productChoices(call: Pick<Call, 'texts' | 'form'>, options: ChoiceOptions): Html {
  const { texts, form } = call
  const products = [...options.catalog.products.values()]
  const isSent = form.has('action')
  const chosen = form.getAll('product')
  const kept = form.getAll('operation')
  return html`<fieldset id="products" ${options.lacksProduct && html`aria-describedby="products-problem"`}>
    <legend>${texts.html('productsLabel')}</legend>
    <p class="hint">${texts.html(products.length === 0 ? 'clientsProductsNone' : 'clientsProductsHint')}</p>
    ${options.lacksProduct && html`<p class="problem" id="products-problem">${texts.html('clientsProductsChoose')}</p>`}
    ${
      products.length > 0 &&
      html`<ul class="choices">
        ${products.map((product) =>
          productChoice(call, options, product, {
            isChosen: chosen.includes(product.id),
            isKept: (operation) => !isSent || kept.includes(valueOf(product, operation)),
          }),
        )}
      </ul>`
    }
  </fieldset>`
}

/** Reads the choices from the submitted form. An operation is removed if its box is empty in any chosen product. */
export function readProductChoices(
  form: Form,
  { products }: Pick<Catalog, 'products'>,
): Pick<NewClientInput, 'products' | 'removedOperations'> {
  const chosen = [...new Set(form.getAll('product'))]
  const kept = new Set(form.getAll('operation'))
  const removed = chosen
    .flatMap((id) => products.get(id) ?? [])
    .flatMap((product) => product.operations.filter((operation) => !kept.has(valueOf(product, operation))))
  return { products: chosen, removedOperations: [...new Set(removed.map(({ scope }) => scope))] }
}

/** The same operation may belong to several products, so its value names the product too. Ids have no spaces. */
function valueOf({ id }: Pick<Product, 'id'>, { scope }: Pick<Operation, 'scope'>): string {
  return `${id} ${scope}`
}

function productChoice(
  { texts }: Pick<Call, 'texts'>,
  options: ChoiceOptions,
  product: Product,
  { isChosen, isKept }: { isChosen: boolean; isKept(operation: Operation): boolean },
): Html {
  const { id, title, description, operations } = product
  const isAllowed = (operation: Operation) =>
    !options.hasLevels || hasRequiredKycLevel(options.catalog, options.kycLevel, operation)
  const blocked = operations.filter((operation) => !isAllowed(operation)).length
  const hints = html`${description !== undefined && html`<span class="hint">${texts.localize(description)}</span>`}
  ${blocked > 0 && html`<span class="hint">${texts.html('clientsBlockedCount', { count: blocked })}</span>`}`
  const isPartial = !operations.every(isKept)
  return html`<li>
    <label class="choice"
      ><input type="checkbox" name="product" value="${id}" ${isChosen && 'checked'} /><span class="tight"
        ><strong>${texts.localize(title)}</strong> ${hints}</span
      ></label
    >
    <details ${isPartial && 'open'}>
      <summary>${texts.html('clientsOperationCount', { count: operations.length })}</summary>
      <p class="hint unless-chosen">${texts.html('clientsOnlyIfChosen')}</p>
      <ul>
        ${operations.map(
          (operation) =>
            html`<li>
              <label class="choice"
                ><input
                  type="checkbox"
                  name="operation"
                  value="${valueOf(product, operation)}"
                  ${isKept(operation) && 'checked'}
                /><span class="tight"
                  ><span
                    >${texts.localize(operation.title)}
                    ${operation.sensitive && badge(texts.html('sensitiveLabel'))}</span
                  ><code class="muted">${operation.scope}</code
                  >${!isAllowed(operation) && html`<span class="problem">${neededLevel({ texts }, options, operation)}</span>`}</span
                ></label
              >
            </li>`,
        )}
      </ul>
    </details>
  </li>`
}

/** Says which KYC level an operation needs, and which level the account has. */
export function neededLevel(
  { texts }: Pick<Call, 'texts'>,
  { catalog, kycLevel }: Pick<ChoiceOptions, 'catalog' | 'kycLevel'>,
  operation: Operation,
): Html {
  return texts.html('clientsNeedsLevel', {
    needed: operation.kycLevel,
    level: kycLevel ?? catalog.kycLevels[0] ?? '',
  })
}

/** A client with what decides which operations it may use. */
export interface ClientAccess {
  readonly catalog: Catalog
  readonly client: Client
  /** KYC level of the account; undefined counts as the lowest level. */
  readonly kycLevel: string | undefined
  /** What the client lacks to call an operation. */
  readonly missingFor: ReturnType<typeof createMissingFor>
  /** Whether the caller may change the client. */
  readonly mayWrite: boolean
}

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
                    ${operation.sensitive && badge(texts.html('sensitiveLabel'))}
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

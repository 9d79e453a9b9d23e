import type { Operation } from '../../catalog/catalog.ts'
import { createMissingFor, type Missing } from '../../clients/access-preview.ts'
import type { Client } from '../../clients/client.ts'
import { scopesOf } from '../../clients/client-products.ts'
import { html, type Html } from '../../http/html.ts'
import { badge, panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page.ts'
import type { ClientAccess } from './access.ts'
import { word, type ClientKind, type ClientPageServices } from './client-kind.ts'
import { backTo, type ClientPanel } from './client-panel.ts'
import { productTitle } from './client-state.ts'
import { neededLevel } from './product-choices.ts'
import { productsToAdd } from './products-to-add.ts'

const MISSING = {
  product: 'clientsLacksProduct',
  operation: 'clientsLacksOperation',
  kycLevel: 'clientsLacksLevel',
  user: 'clientsLacksUser',
  enabled: 'clientsLacksEnabled',
} as const satisfies Record<Missing, string>

/** The products and operations of a client: what it may use, what it lacks, and the forms that change it. */
export function accessPanel(
  kind: ClientKind,
  { catalog, accounts }: Pick<ClientPageServices, 'catalog' | 'accounts'>,
): ClientPanel {
  const { service } = kind
  const access = `${kind.permissions}:write` as const

  return {
    async show(call) {
      const { texts, resource: client } = call
      // The account is looked up as at a token request.
      const [owner, mayWrite] = await Promise.all([
        accounts.find(client.accountId, client.userId),
        call.may(access),
      ])
      const { current } = catalog
      const missingFor = createMissingFor(current, client, owner)
      const found = { catalog: current, client, kycLevel: owner?.kycLevel, missingFor, mayWrite }
      return panel(
        { title: texts.html('clientsAccess'), id: 'access' },
        html`<p class="muted">
            ${texts.html(client.products.length === 0 ? word(kind, 'AccessNone') : word(kind, 'AccessHint'))}
          </p>
          ${client.products.map((id) => productAccess(call, found, id))}
          ${mayWrite && productsToAdd(call, found)} ${mayWrite && sharedForms(call)}`,
      )
    },
    actions: {
      addProduct: {
        access,
        async run({ resource: client, form, change }) {
          await service.addProduct(client.clientId, form.get('product') ?? '', change)
          return backTo(kind, client, 'doneProductAdded')
        },
      },
      removeProduct: {
        access,
        async run({ resource: client, form, change }) {
          await service.removeProduct(client.clientId, form.get('product') ?? '', change)
          return backTo(kind, client, 'doneProductRemoved')
        },
      },
      removeOperation: {
        access,
        async run({ resource: client, form, change }) {
          const scope = form.get('operation') ?? ''
          const isKnown = catalog.current.operations.has(scope)
          // If its product was removed in another tab, the operation is gone already.
          if (!isKnown || scopesOf(catalog.current, client.products).includes(scope)) {
            await service.removeOperation(client.clientId, scope, change)
          }
          return backTo(kind, client, 'doneOperationRemoved')
        },
      },
      restoreOperation: {
        access,
        async run({ resource: client, form, change }) {
          await service.restoreOperation(client.clientId, form.get('operation') ?? '', change)
          return backTo(kind, client, 'doneOperationRestored')
        },
      },
    },
  }
}

/** The forms that the buttons of all rows send. A form in each row would repeat the CSRF token many times. */
function sharedForms(call: Call<Client>): Html {
  const names = ['addProduct', 'removeProduct', 'removeOperation', 'restoreOperation']
  return html`<div hidden>${names.map((name) => form(call, { action: name, id: name }, undefined))}</div>`
}

/** A product of the client with its operations. */
function productAccess({ texts }: Pick<Call, 'texts'>, access: ClientAccess, id: string): Html {
  const { catalog, mayWrite } = access
  const product = catalog.products.get(id)
  const title = productTitle({ texts }, catalog, id)
  return html`<div class="tight">
    <div class="line spread">
      <h3>${title}</h3>
      ${
        mayWrite &&
        html`<button
          class="slim"
          form="removeProduct"
          name="product"
          value="${id}"
          data-confirm="${texts.plain('clientsRemoveProductConfirm', { product: title })}"
        >
          ${texts.html('clientsRemoveProduct')}<span class="unseen"> ${title}</span>
        </button>`
      }
    </div>
    ${
      product
        ? html`<ul class="items">
            ${product.operations.map((operation) => operationAccess({ texts }, access, operation))}
          </ul>`
        : html`<p class="muted">${texts.html('clientsProductWithdrawn')}</p>`
    }
  </div>`
}

/** An operation: whether the client may use it, or what it lacks. */
function operationAccess({ texts }: Pick<Call, 'texts'>, access: ClientAccess, operation: Operation): Html {
  const { missingFor, mayWrite } = access
  const missing = missingFor(operation)
  const isRemoved = missing.includes('operation')
  const title = texts.localize(operation.title)
  const level = isRemoved
    ? neededLevel({ texts }, access, operation)
    : texts.html('clientsAddedAboveLevel', { needed: operation.kycLevel })
  const badges =
    missing.length === 0
      ? badge(texts.html('clientsAllowed'), 'good')
      : missing.map((each) => badge(texts.html(MISSING[each]), 'warn'))
  return html`<li>
    <div class="tight">
      <span>${title} ${operation.sensitive && badge(texts.html('clientsSensitive'))}</span>
      <code class="muted">${operation.scope}</code>
      ${missing.includes('kycLevel') && html`<span class="hint">${level}</span>`}
    </div>
    <div class="line">
      ${badges}
      ${
        mayWrite &&
        html`<button
          class="slim"
          form="${isRemoved ? 'restoreOperation' : 'removeOperation'}"
          name="operation"
          value="${operation.scope}"
          ${!isRemoved && html`data-confirm="${texts.plain('clientsRemoveOperationConfirm', { operation: title })}"`}
        >
          ${texts.html(isRemoved ? 'clientsRestore' : 'clientsRemove')}<span class="unseen"> ${title}</span>
        </button>`
      }
    </div>
  </li>`
}

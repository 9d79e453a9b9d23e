import type { ConsoleServices } from '../services.ts'
import type { Operation } from '../../../catalog/catalog.ts'
import { hasRequiredKycLevel, operationsOf } from '../../../catalog/resolve-scopes.ts'
import { accessOf, type Missing } from '../../../clients/access-preview.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import { badge, panel } from '../elements/elements.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form } from '../elements/form.ts'
import type { Call, Texts } from '../page-types.ts'
import { actionsFor, type Viewer } from './client-action-forms.ts'
import { PAGES_OF_KIND, word, type ClientPart } from './client-kind.ts'
import { neededLevel, productTitle } from './no-token-state.ts'

const MISSING = {
  product: 'clientsLacksProduct',
  operation: 'clientsLacksOperation',
  kycLevel: 'stateLevel',
  user: 'stateUserOperations',
  token: 'stateNoToken',
} as const satisfies Record<Missing, string>

/** The products and operations of a client: what it may use, what it lacks, and the forms that change it. */
export function accessPart(viewer: Viewer, services: ConsoleServices): ClientPart {
  return {
    path: '/access',
    title: 'clientsAccess',
    isShown: ({ resource }) => !isGatewayKey(resource),
    async show(call) {
      const { texts, to, resource: client } = call
      if (isGatewayKey(client)) throw new Rejection('noRoute')
      const [found, mayWrite, mayGive] = await Promise.all([
        findAccess(services, client),
        viewer.may(call, 'write'),
        viewer.may(call, 'give'),
      ])
      const access = { ...found, mayWrite, mayGive }
      const { catalog, kycLevel, missingFor } = found
      const kind = PAGES_OF_KIND[client.kind]
      const isEmpty = client.products.length === 0
      const isBlocked = operationsOf(catalog, client).some((each) => missingFor(each).includes('kycLevel'))
      const level = kycLevel ?? catalog.kycLevels[0] ?? ''
      return panel(
        { title: texts.html('clientsMayCall'), id: 'access' },
        html`${(isEmpty || mayWrite) && html`<p class="muted">${texts.html(isEmpty ? word(kind, 'AccessNone') : word(kind, 'AccessHint'))}</p>`}
        ${isBlocked && viewer.kind && html`<p>${texts.html('appsLevelRaise', { level })}</p>`}
        ${client.products.map((id) => productAccess(call, access, id))}
        ${mayGive && productsToAdd(call, access)} ${mayGive && sharedForms(call)}
        ${viewer.kind?.kind === 'application' && html`<p><a href="${to(`${viewer.pathOf(client)}/preview`)}">${texts.html('appsPreviewLink')}</a></p>`}`,
      )
    },
    actions: actionsFor(viewer, services, ACTIONS_OF_ACCESS),
  }
}

const ACTIONS_OF_ACCESS = ['addProduct', 'removeProduct', 'removeOperation', 'restoreOperation'] as const

/** What a client may call, as for a token request. */
export async function findAccess({ catalog: { current }, accounts }: ConsoleServices, client: Client) {
  const owner = await accounts.find(client.accountId, client.userId)
  const { missingFor } = accessOf(current, client, owner)
  return { catalog: current, client, kycLevel: owner?.kycLevel, missingFor }
}

/** A form in each row would repeat the CSRF token many times. */
function sharedForms(call: Call<Client>): Html {
  const names = ['addProduct', 'restoreOperation']
  return html`<div hidden>${names.map((name) => form(call, { action: name, id: name }, undefined))}</div>`
}

function productAccess(call: Pick<Call, 'texts' | 'self'>, access: ClientAccess, id: string): Html {
  const { texts } = call
  const { catalog, mayWrite } = access
  const product = catalog.products.get(id)
  const title = productTitle({ texts }, catalog, id)
  return html`<div class="tight">
    <div class="line spread">
      <h3>${title}</h3>
      ${
        mayWrite &&
        confirmLink(
          call,
          { action: 'removeProduct', fields: { product: id }, style: 'slim' },
          html`${texts.html('clientsRemoveProduct')}<span class="unseen"> ${title}</span>`,
        )
      }
    </div>
    ${
      product
        ? html`<ul class="items">
            ${product.operations.map((operation) => operationAccess(call, access, operation))}
          </ul>`
        : html`<p class="muted">${texts.html('clientsProductWithdrawn')}</p>`
    }
  </div>`
}

function operationAccess(call: Pick<Call, 'texts' | 'self'>, access: ClientAccess, operation: Operation) {
  const { texts } = call
  const { missingFor, mayWrite, mayGive } = access
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
  const unseen = html`<span class="unseen"> ${title}</span>`
  const restoreButton = html`<button
    class="slim"
    form="restoreOperation"
    name="operation"
    value="${operation.scope}"
  >
    ${texts.html('clientsRestore')}${unseen}
  </button>`
  const removeLink = confirmLink(
    call,
    { action: 'removeOperation', fields: { operation: operation.scope }, style: 'slim' },
    html`${texts.html('clientsRemove')}${unseen}`,
  )
  return html`<li>
    <div class="tight">
      <span>${title} ${operation.sensitive && badge(texts.html('sensitiveLabel'), 'warn')}</span>
      <code class="muted"
        >${operation.scope} ${operation.routes.map(({ method, path }) => html`<br />${method} ${path}`)}</code
      >
      ${missing.includes('kycLevel') && html`<span class="hint">${level}</span>`}
    </div>
    <div class="line">${badges} ${isRemoved ? mayGive && restoreButton : mayWrite && removeLink}</div>
  </li>`
}

type ClientAccess = Awaited<ReturnType<typeof findAccess>> & Record<'mayWrite' | 'mayGive', boolean>

function productsToAdd({ texts }: Texts, { catalog, client, kycLevel }: ClientAccess): Html | undefined {
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
                    ${operation.sensitive && badge(texts.html('sensitiveLabel'), 'warn')}
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

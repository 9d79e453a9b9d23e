import type { ConsoleServices } from '../services.ts'
import { randomUUID } from 'node:crypto'
import type { Form } from '../../http/form-body.ts'
import { html, type Html } from '../../http/html.ts'
import { buttons, notice } from '../elements/elements.ts'
import { field, form, linesOf } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page.ts'
import { word, trail, type ClientKind, type NewClientInput } from './client-kind.ts'
import { productChoices, readProductChoices } from './product-choices.ts'
import { secretView } from './secret-view.ts'

/** The form for a new client. It answers with the page that shows the secret. */
export function newPage(kind: ClientKind, services: ConsoleServices): Page {
  const { catalog, accounts } = services

  function read(sent: Form): NewClientInput {
    return {
      name: sent.get('name') ?? '',
      ...readProductChoices(sent, catalog.current),
      ...(kind.kind === 'application' && { redirectUris: linesOf(sent.get('redirectUris') ?? '') }),
    }
  }

  async function create(call: Call): Promise<View> {
    const { accountId, userId } = call.caller
    const input = read(call.form)
    if (input.products.length === 0 && catalog.current.products.size > 0) return view(call, true)
    const created = await kind.create(
      { ...input, accountId, userId, ...call.change },
      { idempotencyKey: call.form.get('request') ?? '' },
    )
    return secretView(call, kind, services, { ...created, isRotation: false })
  }

  /** @param lacksProduct whether the form was sent without a product */
  async function view(call: Call, lacksProduct: boolean): Promise<View> {
    const { texts, to, caller } = call
    const hasLevels = kind.kind === 'application'
    const account = hasLevels ? await accounts.find(caller.accountId, caller.userId) : undefined
    const title = texts.plain(word(kind, 'NewTitle'))
    const choices = { catalog: catalog.current, hasLevels, kycLevel: account?.kycLevel, lacksProduct }
    return {
      title: lacksProduct ? texts.plain('problemWindow', { title }) : title,
      ...(lacksProduct && { status: 422 }),
      body: html`${lacksProduct && noProduct(call)} ${trail(call, kind)}
        <h1>${texts.html(word(kind, 'NewTitle'))}</h1>
        <section class="panel">
          ${form(
            call,
            { action: 'create' },
            html`<input type="hidden" name="request" value="${call.form.get('request') ?? randomUUID()}" />
              ${field(call, {
                name: 'name',
                label: texts.html('nameLabel'),
                hint: texts.html(word(kind, 'NameHint')),
                isRequired: true,
                isFocused: !lacksProduct,
                maxLength: 120,
                autocomplete: 'off',
              })}
              ${productChoices(call, choices)} ${kind.kind === 'application' && redirectUris(call)}
              ${buttons(call, word(kind, 'Create'), to(kind.base), 'primary')}`,
          )}
        </section>`,
    }
  }

  return page({
    path: `${kind.base}/new`,
    section: kind.section,
    access: `${kind.permissions}:create`,
    show: (call) => view(call, false),
    actions: { create: { access: `${kind.permissions}:create`, run: create } },
  })
}

/** Says above the form that no product was ticked, with a link to the products. */
function noProduct({ texts }: Call): Html {
  return notice(
    'bad',
    html`<p>
      <a href="#products">${texts.html('productsLabel')}</a>: ${texts.html('clientsProductsChoose')}
    </p>`,
  )
}

function redirectUris(call: Call): Html {
  const { texts } = call
  return field(call, {
    name: 'redirectUris',
    label: texts.html('clientsRedirectUris'),
    hint: texts.html('clientsRedirectUrisHint'),
    type: 'lines',
    isCode: true,
  })
}

import type { ConsoleServices } from '../services.ts'
import { randomUUID } from 'node:crypto'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Catalog, Operation, Product } from '../../../catalog/catalog.ts'
import { hasRequiredKycLevel } from '../../../catalog/resolve-scopes.ts'
import { badge, buttons } from '../elements/elements.ts'
import { field, form, linesOf, problemsAt, radio } from '../elements/form.ts'
import { page, type Call, type FormState, type Page, type Redirect, type View } from '../page-types.ts'
import { pathOf, word, trail, type ClientKind } from './client-kind.ts'
import { dayIn, expiryField, readExpiry } from './expiry-view.ts'
import { neededLevel } from './no-token-state.ts'
import { NEW_GATEWAY_KEY_PATH } from './new-gateway-key-page.ts'
import { secretView } from './new-secret-view.ts'
import { operationsBeyond, ownerOfNew } from '../../front-door/permissions-on-clients.ts'
import { MAX_NAME_LENGTH } from '../../../clients/client-name.ts'
import { readKeys } from '../../../clients/client-keys.ts'
import { creationRules } from '../../../clients/rules-from-fields.ts'
import { findProblems } from '../../../validation/rules.ts'
import { FormMistakes, problemsOf, problemText, type FormProblem } from '../problem-texts.ts'
import type { TextName } from '../texts.ts'
import { keyField, readKey } from './public-key-field.ts'

/** The form for a new client. It answers with the page that shows the secret, or leads to a client without a secret. */
export function newPage(kind: ClientKind, services: ConsoleServices): Page {
  const { catalog, accounts } = services

  async function create(call: Call): Promise<View | Redirect> {
    const credentials = readCredentials(call.form)
    const { isPublic, key } = credentials
    const chosen = readProductChoices(call.form, catalog.current)
    const isKey = kind.kind === 'apiKey'
    const fields = {
      name: call.form.get('name') ?? '',
      products: chosen.products,
      expiresAt: readExpiry(dayIn(call.form)),
      ...(!isKey && { redirectUris: linesOf(call.form.get('redirectUris') ?? '') }),
      ...(!isKey && isPublic && { isPublic }),
      ...(await ownerOfNew(services, call.caller, kind.kind, chosen)),
      ...call.change,
    }
    const lacksProduct = chosen.products.length === 0 && catalog.current.products.size > 0
    const { keyPolicy } = services
    const rules = creationRules({ kind: kind.kind, input: fields, catalog: catalog.current, keyPolicy })
    const problems = [
      ...(await keyProblems(services, credentials)),
      ...findProblems(fields, rules),
      ...(lacksProduct ? [NO_PRODUCT] : []),
    ]
    if (problems.length > 0) throw new FormMistakes(problems)
    const input = { ...fields, ...(key !== undefined && { jwks: { keys: [key] } }) }
    const options = { idempotencyKey: call.form.get('request') ?? '' }
    const { clientSecret, ...created } = isKey
      ? await services.apiKeys.create(input, options)
      : await services.applications.create(input, options)
    const client = 'apiKey' in created ? created.apiKey : created.application
    if (clientSecret === undefined)
      return { redirect: pathOf(kind, client), done: isPublic ? 'donePublicCreated' : 'doneCreatedWithKey' }
    return secretView(call, kind, services, { client, clientSecret, isRotation: false })
  }

  async function show(call: Call): Promise<View> {
    const { texts, to, caller } = call
    const hasLevels = kind.kind === 'application'
    const account = hasLevels ? await accounts.find(caller.accountId, caller.userId) : undefined
    const ids = [...catalog.current.products.keys()]
    const beyond = new Set(await operationsBeyond(services, caller, kind.kind, ids))
    const choices = { catalog: catalog.current, hasLevels, kycLevel: account?.kycLevel, beyond }
    return {
      title: texts.plain(word(kind, 'NewTitle')),
      trail: trail(call, kind),
      body: html`<div class="line spread">
          <h1>${texts.html(word(kind, 'NewTitle'))}</h1>
          ${!hasLevels && (await call.isOperator()) && html`<a href="${to(NEW_GATEWAY_KEY_PATH)}">${texts.html('gatewayCreate')}</a>`}
        </div>
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
                isFocused: call.problems.length === 0,
                maxLength: MAX_NAME_LENGTH,
                autocomplete: 'off',
              })}
              ${await credentialsChoice(call, kind, services)} ${productChoices(call, choices)}
              ${kind.kind === 'application' && redirectUris(call, services.settings.publicApplications)}
              ${expiryField(call, services.keyPolicy)}
              ${buttons(call, word(kind, 'Create'), to(kind.base), 'primary')}`,
          )}
        </section>`,
    }
  }

  return page({
    path: `${kind.base}/new`,
    section: kind.section,
    access: `${kind.permissions}:create`,
    freshSignIn: `${kind.permissions}:create`,
    show,
    actions: { create: { access: `${kind.permissions}:create`, run: create } },
  })
}

const NO_PRODUCT: FormProblem = { path: 'products', code: 'no-product', message: 'must have a product' }

function redirectUris(call: Call, withPublic: boolean): Html {
  const { texts } = call
  return field(call, {
    name: 'redirectUris',
    label: texts.html('clientsRedirectUris'),
    hint: html`${texts.html('clientsRedirectUrisHint')}
    ${withPublic && texts.html('clientsRedirectUrisPublicHint')}`,
    type: 'lines',
    isCode: true,
  })
}

interface ChoiceOptions {
  readonly catalog: Catalog
  readonly hasLevels: boolean
  /** Of the account. Undefined counts as the lowest level. */
  readonly kycLevel: string | undefined
  /** The operations that the caller may not give to a key of the account. */
  readonly beyond: ReadonlySet<string>
}

function productChoices(call: FormState, options: ChoiceOptions): Html {
  const { texts, form } = call
  const [problem] = problemsAt('products', call.problems)
  const products = [...options.catalog.products.values()]
  const isSent = form.has('action')
  const chosen = form.getAll('product')
  const kept = form.getAll('operation')
  return html`<fieldset id="products" ${problem && html`aria-describedby="products-problem"`}>
    <legend>${texts.html('productsLabel')}</legend>
    <p class="hint">${texts.html(products.length === 0 ? 'clientsProductsNone' : 'clientsProductsHint')}</p>
    ${problem && html`<p class="problem" id="products-problem">${problemText(problem, texts)}</p>`}
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

/** An operation of several chosen products is removed if its box is empty in one of them. */
function readProductChoices(form: Form, { products }: Pick<Catalog, 'products'>) {
  const chosen = [...new Set(form.getAll('product'))]
  const kept = new Set(form.getAll('operation'))
  const removed = chosen
    .flatMap((id) => products.get(id) ?? [])
    .flatMap((product) => product.operations.filter((operation) => !kept.has(valueOf(product, operation))))
  return { products: chosen, removedOperations: [...new Set(removed.map(({ scope }) => scope))] }
}

/** An operation may belong to several products, so its value names the product too. Ids have no spaces. */
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
                  ${options.beyond.has(operation.scope) ? 'disabled' : isKept(operation) && 'checked'}
                /><span class="tight"
                  ><span
                    >${texts.localize(operation.title)}
                    ${operation.sensitive && badge(texts.html('sensitiveLabel'), 'warn')}</span
                  ><code class="muted">${operation.scope}</code
                  >${options.beyond.has(operation.scope) && html`<span class="hint">${texts.html('clientsBeyondYou')}</span>`}${!isAllowed(operation) && html`<span class="problem">${neededLevel({ texts }, options, operation)}</span>`}</span
                ></label
              >
            </li>`,
        )}
      </ul>
    </details>
  </li>`
}

type Parts = Pick<ConsoleServices, 'settings' | 'loadPublicKeys'>

const KIND = { name: 'kind', isPublic: 'public' }

function readCredentials(form: Form) {
  return { isPublic: form.get(KIND.name) === KIND.isPublic, key: readKey(form) }
}

async function keyProblems(
  parts: Parts,
  { isPublic, key }: ReturnType<typeof readCredentials>,
): Promise<readonly FormProblem[]> {
  if (key === undefined) return []
  const message = 'must be empty for a public application'
  if (isPublic) return [{ path: 'key', code: 'public-application', message }]
  // Any other error comes again when the client is created.
  return readKeys(parts, [key], () => 'key').then(() => [], problemsOf)
}

async function credentialsChoice(call: FormState, { kind }: Pick<ClientKind, 'kind'>, parts: Parts) {
  const { texts, form } = call
  const { publicApplications, privateKeyJwt } = parts.settings
  const key = privateKeyJwt && (await keyInstead(call, parts))
  if (kind === 'apiKey' || !publicApplications) return key || undefined
  const { isPublic } = readCredentials(form)
  const choice = (value: string, title: TextName, hint: TextName) =>
    radio(KIND.name, value, isPublic === (value === KIND.isPublic), texts.html(title), texts.html(hint))
  return html`<fieldset>
    <legend>${texts.html('clientsKind')}</legend>
    <ul class="choices">
      <li>${choice('server', 'clientsKindServer', 'clientsKindServerHint')} ${key}</li>
      <li>${choice(KIND.isPublic, 'clientsKindPublic', 'clientsKindPublicHint')}</li>
    </ul>
  </fieldset>`
}

async function keyInstead(call: FormState, parts: Parts): Promise<Html> {
  const isOpen = (call.form.get('key') ?? '').trim() !== ''
  return html`<details ${isOpen && 'open'}>
    <summary>${call.texts.html('keysInstead')}</summary>
    ${await keyField(call, parts, false)}
  </details>`
}

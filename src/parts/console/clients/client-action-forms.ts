import type { Client } from '../../../clients/client.ts'
import { requireAccess } from '../../front-door/access.ts'
import type {
  ActionCall,
  ActionInput,
  ActionParts,
  ActionTexts,
  ClientAction,
  Names,
} from '../../front-door/client-action-types.ts'
import { CLIENT_ACTIONS, LISTED_ACTIONS, type ActionName } from '../../front-door/client-actions.ts'
import { rightTo } from '../../front-door/permissions-on-clients.ts'
import { NO_INPUT, runAction } from '../../front-door/run-client-action.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { confirmLink } from '../elements/confirm.ts'
import { actionRow } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import type { Action, Call, Redirect } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { pathOf, trail, type ClientKind, type Word } from './client-kind.ts'
import { productTitle } from './no-token-state.ts'
import { readKey } from './public-key-field.ts'

type PageText = TextName | `clients*${Word}`
export type PageNames = Names & { text: PageText; done: NonNullable<Redirect['done']> }

export const ACTIONS: Readonly<Record<ActionName, ClientAction<PageNames>>> = CLIENT_ACTIONS
export const NAMES = Object.keys(ACTIONS) as ActionName[]

/** Who looks at the page of a client: its owner, for whom the resource is the client, or an operator. */
export interface Viewer<Resource> {
  readonly by: ActionCall['by']
  /** Undefined for an operator. */
  readonly kind?: ClientKind | undefined
  pathOf(resource: Resource): string
  trail(call: Call<Resource>): Html
  textsOf(action: ClientAction<PageNames>, resource: Resource): ActionTexts<PageNames> | undefined
  run(action: ClientAction, call: Call<Resource>, parts: ActionParts): Promise<unknown>
}

export function ownerOf(kind: ClientKind): Viewer<Client> {
  return {
    by: 'owner',
    kind,
    pathOf: (client) => pathOf(kind, client),
    trail: (call) => trail(call, kind, call.resource),
    textsOf: ({ owner }, client) => (typeof owner?.texts === 'function' ? owner.texts(client) : owner?.texts),
    run: (action, call, parts) => runForOwner(action, call, parts, inputOf(call.form)),
  }
}

/** Does an action to a client of the caller, with all that this input needs. */
export async function runForOwner(
  { owner, run, isDone }: ClientAction,
  call: Call<Client>,
  parts: ActionParts,
  given: Partial<ActionInput>,
): Promise<void> {
  const { resource: client, caller, change } = call
  const input = { ...NO_INPUT, ...given }
  const request = { parts, caller, change, input }
  const further = owner?.alsoNeeds?.(input, client)
  if (further) await requireAccess(call, rightTo(further, client.kind), client)
  if (run && !isDone?.(client, request)) await runAction({ run }, client, request)
}

export function textName(text: PageText, kind?: Pick<ClientKind, 'kind'>): TextName {
  return text.replace('*', kind?.kind === 'application' ? 'App' : 'Key') as TextName
}

/** The actions of the page of a client. Others have a page of their own, or a form in a panel. */
export function actionsOfPage<Resource>(services: ConsoleServices, viewer: Viewer<Resource>) {
  const names = NAMES.filter((name) => {
    const { texts, asks } = ACTIONS[name][viewer.by] ?? {}
    return texts !== undefined && asks !== 'form' && typeof asks !== 'function'
  })
  return Object.fromEntries(names.map((name) => [name, actionFor(name, services, viewer)]))
}

/** What the form of an action does. An action that asks first has the texts of the question. */
export function actionFor<Resource>(
  name: ActionName,
  services: ConsoleServices,
  viewer: Viewer<Resource>,
): Action<Resource> {
  const action = ACTIONS[name]
  const { owner } = action
  const { asks = 'question' } = action[viewer.by] ?? {}

  function confirm(call: Call<Resource>) {
    const {
      title = 'none',
      what = 'none',
      button = 'none',
      more,
    } = viewer.textsOf(action, call.resource) ?? {}
    const named = { title: textName(title, viewer.kind), what: textName(what), button: textName(button) }
    const { catalog } = services
    const { query, texts } = call
    const values = {
      product: productTitle(call, catalog.current, query['product'] ?? ''),
      operation: scopeTitle(query['operation'] ?? '', texts, catalog.current),
      key: displayText(query['kid'] ?? ''),
    }
    return { ...named, more: more?.map((each) => textName(each)), values, trail: viewer.trail(call) }
  }

  return {
    access: viewer.kind && owner ? rightTo(owner.act, viewer.kind.kind) : 'operator',
    freshSignIn: viewer.kind && owner?.freshSignIn?.[viewer.kind.kind],
    confirm: asks === 'question' || asks === 'form' ? confirm : undefined,
    async run(call) {
      await viewer.run(action, call, services)
      return { redirect: viewer.pathOf(call.resource), done: viewer.textsOf(action, call.resource)?.done }
    },
  }
}

export function inputOf(sent: Form): ActionInput {
  return {
    ...NO_INPUT,
    product: sent.get('product') ?? '',
    scope: sent.get('operation') ?? '',
    kid: sent.get('kid') ?? '',
    key: readKey(sent) ?? '',
    userId: sent.get('userId')?.trim() || null,
  }
}

/** The path below the page of the client: `/report-compromised`. */
export function ownPathOf(name: ActionName): string {
  return `/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The actions that stop programs, each with its consequences. @param rights which of them the viewer may do */
export function actionRows<Resource>(
  call: Call<Resource>,
  viewer: Viewer<Resource>,
  client: Client,
  rights: readonly ActionName[] = LISTED_ACTIONS[viewer.by],
): Html {
  const { texts, to } = call
  const rows = rights.map((name) => {
    const action = ACTIONS[name]
    const { asks } = action[viewer.by] ?? {}
    const shown = viewer.textsOf(action, call.resource)
    if (!shown || action.isRowShown?.(client, viewer.by) === false) return undefined
    const [title, what, button] = [shown.title, shown.what, shown.button].map((each = 'none') =>
      texts.html(textName(each, viewer.kind)),
    )
    if (typeof asks === 'function') {
      const path = viewer.pathOf(call.resource) + ownPathOf(name)
      return actionRow(title, what, html`<a class="button slim danger" href="${to(path)}">${button}</a>`)
    }
    if (asks !== 'nothing') return actionRow(title, what, confirmLink(call, { action: name }, button))
    const inline = { action: name, isInline: true }
    return actionRow(title, what, form(call, inline, html`<button class="slim">${button}</button>`))
  })
  return html`<ul class="items">
    ${rows}
  </ul>`
}

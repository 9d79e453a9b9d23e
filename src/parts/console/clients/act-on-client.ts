import type { Client } from '../../../clients/client.ts'
import { requireAccess, type Access } from '../../front-door/access.ts'
import { CLIENT_ACTIONS, LISTED_ACTIONS, type ActionName } from '../../front-door/client-actions.ts'
import type { Act } from '../../front-door/key-limits.ts'
import {
  NO_INPUT,
  runAction,
  type ActionCall,
  type ActionInput,
  type ActionRequest,
  type ActionTexts,
  type ClientAction,
  type Names,
} from '../../front-door/run-action.ts'
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
import { productTitle } from './client-state.ts'
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
  accessOf(act: Act | undefined): Access
  pathOf(resource: Resource): string
  trail(call: Call<Resource>): Html
  textsOf(action: ClientAction<PageNames>, resource: Resource): ActionTexts<PageNames> | undefined
  run(action: ClientAction, resource: Resource, request: ActionRequest): Promise<unknown>
}

export function ownerOf(kind: ClientKind): Viewer<Client> {
  return {
    by: 'owner',
    kind,
    // What has no act is only for operators.
    accessOf: (act) => (act === undefined ? 'operator' : `${kind.permissions}:${act}`),
    pathOf: (client) => pathOf(kind, client),
    trail: (call) => trail(call, kind, call.resource),
    textsOf: ({ texts }, client) => (typeof texts === 'function' ? texts(client) : texts),
    run: async (action, client, request) =>
      action.isDone?.(client, request) || runAction(action, client, request),
  }
}

export function textName(text: PageText, kind?: Pick<ClientKind, 'kind'>): TextName {
  return text.replace('*', kind?.kind === 'application' ? 'App' : 'Key') as TextName
}

/** The actions of the page of a client. Others have a page of their own, or a form that is designed. */
export function actionsOfPage<Resource>(services: ConsoleServices, viewer: Viewer<Resource>) {
  const names = NAMES.filter((name) => !hasOwnPage(name, viewer) && isShown(name, viewer))
  return Object.fromEntries(names.map((name) => [name, actionFor(name, services, viewer)]))
}

const hasOwnPage = (name: ActionName, { by }: Pick<Viewer<never>, 'by'>) =>
  by === 'owner' && ACTIONS[name].page !== undefined

function isShown(name: ActionName, { by }: Pick<Viewer<never>, 'by'>): boolean {
  const { texts, operatorTexts, done } = ACTIONS[name]
  return by === 'owner' ? (texts ?? done) !== undefined : operatorTexts !== undefined
}

/** What the form of an action does. An action that asks first has the texts of the question. */
export function actionFor<Resource>(
  name: ActionName,
  services: ConsoleServices,
  viewer: Viewer<Resource>,
): Action<Resource> {
  const action = ACTIONS[name]
  const { act, alsoNeeds, confirms, more, asksNothing, done } = action
  const asks = !asksNothing && !hasOwnPage(name, viewer) && (viewer.by === 'operator' || action.texts)

  function confirm(call: Call<Resource>) {
    const [title = 'none', what = 'none', button = 'none'] = viewer.textsOf(action, call.resource) ?? []
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
    access: viewer.accessOf(act),
    freshSignIn: viewer.kind && confirms?.[viewer.kind.kind],
    confirm: asks ? confirm : undefined,
    async run(call) {
      const { caller, change, resource } = call
      const input = inputOf(call.form)
      const further = alsoNeeds?.(input)
      if (further) await requireAccess(call, viewer.accessOf(further))
      await viewer.run(action, resource, { parts: services, caller, change, input })
      return { redirect: viewer.pathOf(resource), done: viewer.textsOf(action, resource)?.[3] ?? done }
    },
  }
}

function inputOf(sent: Form): ActionInput {
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
    const shown = viewer.textsOf(action, call.resource)
    if (!shown || action.isRowShown?.(client, viewer.by) === false) return undefined
    const [title, what, button] = [shown[0], shown[1], shown[2]].map((each) =>
      texts.html(textName(each, viewer.kind)),
    )
    const path = viewer.pathOf(call.resource) + ownPathOf(name)
    if (hasOwnPage(name, viewer))
      return actionRow(title, what, html`<a class="button slim danger" href="${to(path)}">${button}</a>`)
    if (!action.asksNothing) return actionRow(title, what, confirmLink(call, { action: name }, button))
    const inline = { action: name, isInline: true }
    return actionRow(title, what, form(call, inline, html`<button class="slim">${button}</button>`))
  })
  return html`<ul class="items">
    ${rows}
  </ul>`
}

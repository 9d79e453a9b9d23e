import { isGatewayKey, type Client } from '../../../clients/client.ts'
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
import { rightTo, type Act } from '../../front-door/permissions-on-clients.ts'
import { NO_INPUT, runAction, runAsOperator } from '../../front-door/run-client-action.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { confirmLink } from '../elements/confirm.ts'
import { actionRow, panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { clientPath, operatorTrail } from '../operator/operator-page.ts'
import type { Action, Call, Redirect } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { pathOf, trail, type ClientKind, type Word } from './client-kind.ts'
import { productTitle } from './no-token-state.ts'
import { readKey } from './public-key-field.ts'
import { useFacts } from './client-use.ts'

type PageText = TextName | `clients*${Word}`
export type PageNames = Names & { text: PageText; done: NonNullable<Redirect['done']> }

export const ACTIONS: Readonly<Record<ActionName, ClientAction<PageNames>>> = CLIENT_ACTIONS

/** Who looks at the pages of a client: its owner, or an operator. */
export interface Viewer {
  readonly by: ActionCall['by']
  /** Undefined for an operator. */
  readonly kind?: ClientKind | undefined
  pathOf(client: Pick<Client, 'clientId'>): string
  trail(call: Call<Client>, isBelow: boolean): Html
  may(call: Call<Client>, act: Act): Promise<boolean>
  textsOf(action: ClientAction<PageNames>, client: Client): ActionTexts<PageNames> | undefined
  run(action: ClientAction, call: Call<Client>, parts: ActionParts): Promise<unknown>
}

export function ownerOf(kind: ClientKind): Viewer {
  return {
    by: 'owner',
    kind,
    pathOf: (client) => pathOf(kind, client),
    trail: (call, isBelow) => trail(call, kind, isBelow ? call.resource : undefined),
    may: (call, act) => call.may(rightTo(act, kind.kind)),
    textsOf: ({ owner }, client) => (typeof owner?.texts === 'function' ? owner.texts(client) : owner?.texts),
    run: (action, call, parts) => runForOwner(action, call, parts, inputOf(call.form)),
  }
}

export const OPERATOR: Viewer = {
  by: 'operator',
  pathOf: ({ clientId }) => clientPath(clientId),
  trail(call, isBelow) {
    const { self, resource: client } = call
    const link = isBelow && html`<a href="${self}"><bdi>${applicationName(client)}</bdi></a>`
    return operatorTrail(call, { accountId: client.accountId }, link)
  },
  may: async () => false,
  textsOf: ({ operator }) => operator?.texts,
  run: (action, call, parts) =>
    runAsOperator(action, call.resource.clientId, { ...call, parts, input: inputOf(call.form) }),
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

/** The key of a gateway has no tokens: each text replaces those after it. */
const OF_GATEWAY: readonly (readonly [TextName, ...PageText[]])[] = [
  ['gatewayStops', 'clientsDisableHint', 'operatorDisableText', 'clientsReportTokens'],
  ['gatewayStops', 'clientsLeakedHint', 'keysLeakedHint', 'operatorCompromisedText'],
  ['gatewayStops', 'clientsRevokeOldWhat', 'clientsRevokeNewWhat'],
  ['gatewayWhat', 'clientsEnableHint', 'handOverTokens'],
  ['gatewayWhat', 'clientsReportNext', 'keysReportNext'],
  ['clientsReportSecrets', 'clientsDeleteTokens'],
  ['clientsLeakedLink', 'clientsReportButton', 'keysReportButton'],
]

export function textName(text: PageText, client: Client): TextName {
  const own = isGatewayKey(client) && OF_GATEWAY.find(([, ...others]) => others.includes(text))?.[0]
  return (own || text).replace('*', client.kind === 'application' ? 'App' : 'Key') as TextName
}

/** Those of these actions that are forms of a page, or that a page asks before. Others have a path of their own. */
export function actionsFor(viewer: Viewer, services: ConsoleServices, names: readonly ActionName[]) {
  const own = names.filter((name) => {
    const { texts, asks } = ACTIONS[name][viewer.by] ?? {}
    return texts !== undefined && asks !== 'form' && typeof asks !== 'function'
  })
  return Object.fromEntries(own.map((name) => [name, actionFor(name, services, viewer)]))
}

/** What the form of an action does. An action that asks first has the texts of the question. */
export function actionFor(name: ActionName, services: ConsoleServices, viewer: Viewer): Action<Client> {
  const action = ACTIONS[name]
  const { owner } = action
  const { asks = 'question' } = action[viewer.by] ?? {}

  async function confirm(call: Call<Client>) {
    const { query, texts, resource: client } = call
    const { title = 'none', what = 'none', button = 'none', more } = viewer.textsOf(action, client) ?? {}
    const nameOf = (text: PageText) => textName(text, client)
    const { catalog } = services
    const values = {
      name: applicationName(client),
      product: productTitle(call, catalog.current, query['product'] ?? ''),
      operation: scopeTitle(query['operation'] ?? '', texts, catalog.current),
      key: displayText(query['kid'] ?? ''),
    }
    return {
      title: nameOf(title),
      what: nameOf(what),
      button: nameOf(button),
      more: more?.map(nameOf),
      use: await useFacts(call, services, client),
      values,
      trail: viewer.trail(call, true),
    }
  }

  return {
    access: viewer.kind && owner ? rightTo(owner.act, viewer.kind.kind) : 'operator',
    freshSignIn: viewer.kind && owner?.freshSignIn?.[viewer.kind.kind],
    confirm: asks === 'question' || asks === 'form' ? confirm : undefined,
    async run(call) {
      await viewer.run(action, call, services)
      return { done: viewer.textsOf(action, call.resource)?.done }
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

/** The actions that a part lists with their consequences; undefined if the viewer may do none of them. */
export async function actionList(call: Call<Client>, viewer: Viewer, part: keyof typeof LISTED_ACTIONS) {
  const { texts, to, caller, resource: client } = call
  const rows = LISTED_ACTIONS[part].map(async (name) => {
    const action = ACTIONS[name]
    const { owner, isRowShown } = action
    const { asks } = action[viewer.by] ?? {}
    const shown = viewer.textsOf(action, client)
    const isOffered = isRowShown?.(client, viewer.by, caller) !== false
    if (!shown?.button || (!isOffered && name !== 'handOver')) return undefined
    if (viewer.kind && owner && !(await viewer.may(call, owner.act))) return undefined
    const [title, what, button] = [shown.title, shown.what, shown.button].map((each = 'none') =>
      texts.html(textName(each, client), { name: applicationName(client) }),
    )
    if (!isOffered) return actionRow(title, texts.html('handOverNot'), undefined)
    if (typeof asks === 'function') {
      const path = viewer.pathOf(client) + ownPathOf(name)
      return actionRow(title, what, html`<a class="button slim danger" href="${to(path)}">${button}</a>`)
    }
    if (asks !== 'nothing') return actionRow(title, what, confirmLink(call, { action: name }, button))
    const inline = { action: name, isInline: true }
    return actionRow(title, what, form(call, inline, html`<button class="slim">${button}</button>`))
  })
  const list = (await Promise.all(rows)).filter((row) => row !== undefined)
  if (list.length === 0) return undefined
  const title = texts.html(viewer.kind ? 'clientsDanger' : 'operatorActions')
  return panel(
    { title, id: 'danger', isDanger: true },
    html`<ul class="items">
      ${list}
    </ul>`,
  )
}

import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { ActionName } from '../../front-door/client-actions.ts'
import type { QuestionPage } from '../../front-door/client-action-types.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { MAX_NAME_LENGTH } from '../../../clients/client-name.ts'
import { buttons, panel } from '../elements/elements.ts'
import { field, form, requireTypedName, typedName } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { ACTIONS, actionFor, ownerOf, ownPathOf, textName, type PageNames } from './client-action-forms.ts'
import { useFacts } from './client-use.ts'
import { ownClient, pathOf, trail, type ClientKind } from './client-kind.ts'

const TYPED: Readonly<Record<NonNullable<Question['typed']>, (call: Call<Client>) => Html>> = {
  name: (call) => typedName(call, nameOf(call.resource)),
  newOwner: (call) =>
    field(call, {
      name: 'userId',
      label: call.texts.html('handOverTo'),
      hint: call.texts.html('handOverHint'),
      autocomplete: 'off',
      isCode: true,
    }),
}

/** The pages that ask before an action of an owner, at paths of their own: what happens, and what is typed. */
export function questionPages(kind: ClientKind, services: ConsoleServices): Page[] {
  const viewer = ownerOf(kind)
  return (Object.keys(ACTIONS) as ActionName[]).flatMap((name) => {
    const { owner: { asks } = {}, needsCredentials } = ACTIONS[name]
    if (typeof asks !== 'function') return []
    const { access, freshSignIn, run } = actionFor(name, services, viewer)
    return page<Client>({
      ...ownClient(kind, ownPathOf(name)),
      access,
      freshSignIn,
      async show(call) {
        if (needsCredentials && isPublicClient(call.resource)) throw new Rejection('noRoute')
        const use = await useFacts(call, services, call.resource)
        return view(call, { kind, name, use, ...asks(call.resource) })
      },
      actions: {
        [name]: {
          access,
          async run(call) {
            const { resource: client } = call
            if (asks(client).typed === 'name') requireTypedName(call, nameOf(client), client.name)
            const redirect = name === 'delete' ? kind.base : partOf(call, kind, name)
            return { ...(await run(call)), redirect }
          },
        },
      },
    })
  })
}

/** The path of the part that lists the action. */
function partOf({ resource }: Call<Client>, kind: ClientKind, name: ActionName): string {
  return pathOf(kind, resource) + (name === 'reportCompromised' ? '/secrets' : '/settings')
}

interface Question extends QuestionPage<PageNames> {
  readonly kind: ClientKind
  readonly name: ActionName
  readonly use: Html
}

function view(call: Call<Client>, question: Question): View {
  const { kind, name: action, use, title, points, button, isDanger, typed } = question
  const { texts, to, resource: client } = call
  const name = applicationName(client)
  const back = to(partOf(call, kind, action))
  return {
    title: texts.plain(textName(title, client), { name }),
    trail: trail(call, kind, client),
    body: html`<h1>${texts.html(textName(title, client), { name })}</h1>
      ${use}
      ${panel(
        { title: texts.html('clientsWhatHappens'), isDanger },
        html`<ul class="points">
            ${points.map((point) => html`<li>${texts.html(textName(point, client))}</li>`)}
          </ul>
          ${form(call, { action }, html`${typed && TYPED[typed](call)} ${buttons(call, textName(button, client), back, isDanger ? 'danger final' : 'primary')}`)}`,
      )}`,
  }
}

/** The whole name as the page shows it, so that a person can type it. */
function nameOf({ name, clientId }: Client): string {
  return displayText(name, MAX_NAME_LENGTH) || clientId
}

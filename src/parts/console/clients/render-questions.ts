import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { ActionName } from '../../front-door/client-actions.ts'
import type { QuestionPage } from '../../front-door/client-action-types.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { MAX_NAME_LENGTH } from '../../../clients/client-name.ts'
import { buttons, notice, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import {
  ACTIONS,
  actionFor,
  NAMES,
  ownerOf,
  ownPathOf,
  textName,
  type PageNames,
} from './client-action-forms.ts'
import { ownClient, pathOf, trail, type ClientKind } from './client-kind.ts'

const TYPED_FIRST: { readonly [name in ActionName]?: (call: Call<Client>) => Html } = {
  delete: (call) =>
    field(call, {
      name: 'name',
      label: call.texts.html('clientsDeleteName', { name: nameOf(call.resource) }),
      isRequired: true,
      autocomplete: 'off',
    }),
  handOver: (call) =>
    field(call, {
      name: 'userId',
      label: call.texts.html('handOverTo'),
      hint: call.texts.html('handOverHint'),
      autocomplete: 'off',
      isCode: true,
    }),
}

/** The pages that ask before an action of an owner, at paths of their own: what happens, and the form. */
export function questionPages(kind: ClientKind, services: ConsoleServices): Page[] {
  const viewer = ownerOf(kind)
  return NAMES.flatMap((name) => {
    const { owner: { asks } = {}, needsCredentials } = ACTIONS[name]
    if (typeof asks !== 'function') return []
    const { access, freshSignIn, run } = actionFor(name, services, viewer)
    const show = (call: Call<Client>, isWrong = false) =>
      view(call, { kind, name, isWrong, ...asks(call.resource) })
    return page<Client>({
      ...ownClient(kind, ownPathOf(name)),
      access,
      freshSignIn,
      async show(call) {
        if (needsCredentials && isPublicClient(call.resource)) throw new Rejection('noRoute')
        return show(call)
      },
      actions: {
        [name]: {
          access,
          async run(call) {
            if (name !== 'delete') return { ...(await run(call)), redirect: partOf(call, kind, name) }
            const typed = (call.form.get('name') ?? '').trim()
            if (typed !== nameOf(call.resource) && typed !== call.resource.name) return show(call, true)
            return { ...(await run(call)), redirect: kind.base }
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
  readonly isWrong: boolean
}

function view(call: Call<Client>, question: Question): View {
  const { kind, name: action, isWrong, title, points, button, isDanger } = question
  const { texts, to, resource: client } = call
  const name = applicationName(client)
  const back = to(partOf(call, kind, action))
  return {
    title: texts.plain(textName(title), { name }),
    trail: trail(call, kind, client),
    ...(isWrong && { status: 422 }),
    // The script puts the focus on the first notice or heading.
    body: html`${isWrong && notice('bad', html`<p>${texts.html('clientsDeleteWrong')}</p>`)}${'\n'}
      <h1>${texts.html(textName(title), { name })}</h1>
      ${panel(
        { title: texts.html('clientsWhatHappens'), isDanger },
        html`<ul class="points">
            ${points.map((point) => html`<li>${texts.html(textName(point, kind))}</li>`)}
          </ul>
          ${form(call, { action }, html`${TYPED_FIRST[action]?.(call)} ${buttons(call, textName(button, kind), back, isDanger ? 'danger' : 'primary')}`)}`,
      )}`,
  }
}

/** The whole name as the page shows it, so that a person can type it. */
function nameOf({ name, clientId }: Client): string {
  return displayText(name, MAX_NAME_LENGTH) || clientId
}

import { requireAccess } from '../../front-door/access.ts'
import { randomUUID } from 'node:crypto'
import { MAX_NAME_LENGTH } from '../../../clients/client-name.ts'
import { html } from '../../../http/html.ts'
import { ownerOfNew } from '../../front-door/permissions-on-clients.ts'
import { buttons, heading } from '../elements/elements.ts'
import { field, form, hidden, linesOf } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { apiKeyKind, trail } from './client-kind.ts'
import { secretView } from './new-secret-view.ts'

export const NEW_GATEWAY_KEY_PATH = '/api-keys/new-gateway'

/** The form for the key of a gateway in another process, for operators. */
export function newGatewayKeyPage(services: ConsoleServices): Page {
  const kind = apiKeyKind(services)
  const addresses = () => services.resources.all.map(({ address }) => address)

  async function create(call: Call): Promise<View> {
    const { form: sent, caller, change } = call
    const all = addresses()
    const chosen = linesOf(sent.get('resources') ?? all.join('\n'))
    const input = {
      name: sent.get('name') ?? '',
      resourceServer: true,
      resources: all.every((each) => chosen.includes(each)) ? undefined : chosen,
      ...(await ownerOfNew(services, caller, kind.kind, {})),
      ...change,
    }
    const options = { idempotencyKey: sent.get('request') ?? '' }
    const { apiKey: client, clientSecret } = await services.apiKeys.create(input, options)
    return secretView(call, kind, services, { client, clientSecret, isRotation: false })
  }

  async function show(call: Call): Promise<View> {
    await requireAccess(call, 'keys:create')
    const { texts, to } = call
    const all = addresses()
    const title = 'gatewayCreate'
    const name = { name: 'name', label: texts.html('nameLabel'), maxLength: MAX_NAME_LENGTH }
    const resources = { name: 'resources', label: texts.html('gatewayResources'), value: all.join('\n') }
    const fields = html`${hidden('request', call.form.get('request') ?? randomUUID())}
    ${field(call, { ...name, isRequired: true, isFocused: true, autocomplete: 'off' })}
    ${all.length > 1 && field(call, { ...resources, type: 'lines', isCode: true })}
    ${buttons(call, title, to(kind.base), 'primary')}`
    return {
      title: texts.plain(title),
      trail: trail(call, kind),
      body: html`${heading(texts.html(title), texts.html('gatewayWhat'))}
        <section class="panel">${form(call, { action: 'create' }, fields)}</section>`,
    }
  }

  const actions = { create: { access: 'keys:create', run: create } } as const
  const of = { path: NEW_GATEWAY_KEY_PATH, section: kind.section, access: 'operator' } as const
  return page({ ...of, freshSignIn: 'keys:create', show, actions })
}

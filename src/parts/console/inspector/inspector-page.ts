import type { ConsoleServices } from '../services.ts'
import { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { heading, notice, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { inspect, readToken } from './inspect-token.ts'
import { inspectSecret, isPrivateKey } from './inspect-secret.ts'
import { inspectionResult } from './inspection-result.ts'

/** Explains an access token, a client secret, or a private key, which the answer does not contain. */
export function inspectorPage(services: ConsoleServices): Page {
  return page({
    path: '/token-inspector',
    section: 'inspector',
    access: 'signed-in',
    show: async (call) => view(services, call, undefined),
    actions: {
      inspect: {
        access: 'signed-in',
        async run(call) {
          const pasted = call.form.get('token') ?? ''
          const decoded = readToken(pasted)
          if (typeof decoded === 'string') {
            const secret = await inspectSecret(services, call, pasted)
            if (secret) return view(services, call, secret)
            if (await isPrivateKey(services, pasted)) return rejected(services, call, 'inspectorKeyUnknown')
            return rejected(services, call, decoded)
          }
          const inspection = await inspect(services, call, decoded)
          if (!inspection) return rejected(services, call, 'inspectorForeign')
          return view(services, call, inspectionResult(call, inspection, services))
        },
      },
    },
  })
}

type Parts = Pick<ConsoleServices, 'settings'>

function rejected(services: Parts, call: Call, reason: TextName): View {
  const title = call.texts.plain('problemWindow', { title: call.texts.plain('navInspector') })
  return {
    ...view(services, call, notice('bad', html`<p>${call.texts.html(reason)}</p>`)),
    title,
    status: 422,
  }
}

function view({ settings }: Parts, call: Call, result: Html | undefined): View {
  const { texts, has } = call
  const tokenField = field(
    { form: new Form(), problems: [], texts },
    {
      name: 'token',
      label: texts.html('inspectorField'),
      hint: html`${texts.html('inspectorHint')} ${settings.privateKeyJwt && texts.html('inspectorKeyHint')}`,
      type: 'lines',
      isRequired: true,
      isCode: true,
      isFocused: result === undefined,
      autocomplete: 'off',
    },
  )
  const input = form(
    call,
    { action: 'inspect' },
    html`${tokenField}
      <div class="buttons"><button class="primary">${texts.html('inspectorButton')}</button></div>`,
  )
  return {
    title: texts.plain('navInspector'),
    body: html`${heading(texts.html('navInspector'), texts.html(has('operator') ? 'inspectorIntroOperator' : 'inspectorIntro'))}
    ${result}
    ${
      result === undefined
        ? html`<div class="panel">${input}</div>`
        : panel({ title: texts.html('inspectorAnother') }, input)
    }`,
  }
}

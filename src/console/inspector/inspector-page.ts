import type { ConsoleServices } from '../services.ts'
import { Form } from '../../http/form-body.ts'
import { html, type Html } from '../../http/html.ts'
import { heading, notice, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page.ts'
import type { TextName } from '../texts.ts'
import { inspect } from './inspect.ts'
import { readToken } from './read-token.ts'
import { inspectionResult } from './inspection-result.ts'

/**
 * A page that explains an access token. The token is sent by POST, and the page with the answer does not contain it.
 */
export function inspectorPage(services: ConsoleServices): Page {
  return page({
    path: '/token-inspector',
    section: 'inspector',
    access: 'signed-in',
    show: async (call) => view(call, undefined),
    actions: {
      inspect: {
        access: 'signed-in',
        async run(call) {
          const decoded = readToken(call.form.get('token') ?? '')
          if (typeof decoded === 'string') return rejected(call, decoded)
          const inspection = await inspect(services, call, decoded)
          if (!inspection) return rejected(call, 'inspectorForeign')
          return view(call, inspectionResult(call, inspection, services))
        },
      },
    },
  })
}

/** The answer to a text that cannot be inspected. */
function rejected(call: Call, text: TextName): View {
  const title = call.texts.plain('problemWindow', { title: call.texts.plain('navInspector') })
  return { ...view(call, notice('bad', html`<p>${call.texts.html(text)}</p>`)), title, status: 422 }
}

function view(call: Call, result: Html | undefined): View {
  const { texts, has } = call
  const tokenField = field(
    { form: new Form(), problems: [], texts },
    {
      name: 'token',
      label: texts.html('inspectorField'),
      hint: texts.html('inspectorHint'),
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

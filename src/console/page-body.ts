import type { Form } from '../http/form-body.ts'
import { html, type Html } from '../http/html.ts'
import type { Failure } from '../front-door/failure.ts'
import type { RejectionReason } from '../front-door/rejection.ts'
import type { Shown } from './dispatch.ts'
import { notice } from './elements/elements.ts'
import { FIELD_LABELS, OTHER_LABELS } from './elements/field-labels.ts'
import { problemText } from './form-problems.ts'
import type { Mount } from './mount.ts'
import type { Reader } from './reader.ts'
import { english, type TextName } from './texts.ts'
import { typedLineOf } from './elements/form.ts'
import type { Call, Section } from './page.ts'

/** A page with the navigation, and with the notice of what was done before. */
export function pageBody({ view, page, call }: Shown): Html {
  const { texts, query, problems } = call
  const done = query['done'] ?? ''
  // A link of another site must not make a page claim that something was done.
  const isOwnLink = ['', 'same-origin'].includes(call.ctx.get('Sec-Fetch-Site'))
  const isKnown = done.startsWith('done') && Object.hasOwn(english, done)
  const isNotice = isOwnLink && isKnown && view.status === undefined
  return html`${navigation(call, page.section)}
    <p class="notice bad" role="alert" data-offline hidden>${texts.html('errorBusy')}</p>
    ${isNotice && notice('good', html`<p>${texts.html(done as TextName)}</p>`)}
    ${problems.length > 0 && problemList(call)} ${view.body}`
}

const LABELS = new Map<string, TextName>(Object.entries({ ...FIELD_LABELS, ...OTHER_LABELS }))

/** The problems of a rejected form. */
function problemList({ texts, problems, form }: Shown['call']): Html {
  return notice(
    'bad',
    html`<p><strong>${texts.html('problemsTitle')}</strong></p>
      <ul>
        ${problems.map((problem) => html`<li>${fieldOf(problem.path, texts, form)}${problemText(problem, texts)}</li>`)}
      </ul>`,
  )
}

/** A link to the field of a problem, such as “Redirect URIs, line 2”. @param path such as `redirectUris[1]` */
function fieldOf(path: string, texts: Reader, form: Form): Html | undefined {
  const [, field = '', index] = /^(\w+)(?:\[(\d+)\])?$/.exec(path) ?? []
  const label = LABELS.get(field)
  if (label === undefined) return path === '' ? undefined : html`<code>${path}</code>: `
  const name = texts.html(label)
  const place =
    index === undefined
      ? name
      : texts.html('problemLine', { field: name, count: typedLineOf(form.get(field), Number(index)) })
  return Object.hasOwn(FIELD_LABELS, field) ? html`<a href="#${field}">${place}</a>: ` : html`${place}: `
}

/** The title of the page of an error, and what the page says. */
export function errorTexts({ status, code, reason }: Failure): readonly [title: TextName, text: TextName] {
  if (reason) return REJECTIONS[reason]
  if (code === 'ERR_IN_PROGRESS') return ['errorBusyTitle', 'errorInProgress']
  if (code === 'ERR_IDEMPOTENCY_KEY') return ['errorFormTitle', 'errorRepeated']
  if (status === 404) return NOT_FOUND
  return status === 503 ? ['errorBusyTitle', 'errorBusy'] : ['errorInternalTitle', 'errorInternal']
}

const NOT_FOUND = ['errorNotFoundTitle', 'errorNotFound'] as const
const FORM = ['errorFormTitle', 'errorForm'] as const

const REJECTIONS: Record<RejectionReason, readonly [TextName, TextName]> = {
  query: ['errorNotFoundTitle', 'errorMethod'],
  noRoute: NOT_FOUND,
  method: ['errorNotFoundTitle', 'errorMethod'],
  signedOut: ['errorSignInTitle', 'errorSignIn'],
  forbidden: ['errorForbiddenTitle', 'errorForbidden'],
  foreignPage: FORM,
  csrfToken: FORM,
  csrfExpired: FORM,
  body: FORM,
  bodyTooLarge: FORM,
  mediaType: FORM,
  input: FORM,
  unconditional: FORM,
}

/** The page of an error. @param retry the address that the reader can try again */
export function errorBody(failure: Failure, texts: Reader, mount: Mount, retry: string): Html {
  const { status, code, reason } = failure
  const [title, text] = errorTexts(failure)
  const isTemporary = status >= 500 || code === 'ERR_IN_PROGRESS' || reason === 'signedOut'
  const link = reason === 'signedOut' ? 'signInLink' : 'tryAgainLink'
  return html`<h1>${texts.html(title)}</h1>
    <p>${texts.html(text)}</p>
    <p class="line">
      ${isTemporary && html`<a href="${retry}">${texts.html(link)}</a>`}
      <a href="${mount.path || '/'}">${texts.html('backToStart')}</a>
    </p>`
}

/** The parts in the order of the navigation: the path of the first page, and the name. */
const ENTRIES: readonly (readonly [Section, string, TextName])[] = [
  ['overview', '/', 'navOverview'],
  ['apiKeys', '/api-keys', 'navApiKeys'],
  ['applications', '/applications', 'navApplications'],
  ['connected', '/connected-applications', 'navConnected'],
  ['activity', '/activity', 'navActivity'],
  ['inspector', '/token-inspector', 'navInspector'],
  ['operator', '/operator', 'navOperator'],
]

/** The navigation between the parts of the console. A part that is mounted alone needs none. */
function navigation(
  { texts, to, has }: Pick<Call, 'texts' | 'to' | 'has'>,
  current: Section,
): Html | undefined {
  const entries = ENTRIES.filter(([section]) => has(section))
  if (entries.length < 2) return undefined
  return html`<nav class="nav" aria-label="${texts.plain('navLabel')}">
    <ul>
      ${entries.map(
        ([section, path, name]) =>
          html`<li>
            <a href="${to(path)}" ${section === current && html`aria-current="page"`}>${texts.html(name)}</a>
          </li>`,
      )}
    </ul>
  </nav>`
}

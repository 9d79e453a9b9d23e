import type { Form } from '../../http/form-body.ts'
import { html, type Html } from '../../http/html.ts'
import { notice } from './elements/elements.ts'
import { typedLineOf } from './elements/form.ts'
import { SHOWN_FIELDS } from './elements/plain-inputs.ts'
import type { Mount } from './mount.ts'
import type { Call, Page, Section, View } from './page-types.ts'
import { problemText } from './problem-texts.ts'
import type { Reader } from './reader-formats.ts'
import { english, type TextName } from './texts.ts'

type Entry = readonly [Section, string, TextName]

const ENTRIES: readonly Entry[] = [
  ['overview', '/', 'navOverview'],
  ['apiKeys', '/api-keys', 'navApiKeys'],
  ['applications', '/applications', 'navApplications'],
  ['connected', '/connected-applications', 'navConnected'],
  ['usage', '/usage', 'usageTitle'],
  ['activity', '/activity', 'navActivity'],
  ['inspector', '/token-inspector', 'navInspector'],
  ['operator', '/operator', 'navOperator'],
]

/** Hidden from people whose account has no clients, who come for their connected applications. */
const FOR_DEVELOPERS: readonly Section[] = ['apiKeys', 'applications', 'usage', 'inspector']

/** The first one leads back. Pages of one client or account belong to the start page. */
const OPERATOR_ENTRIES: readonly Entry[] = [
  ['overview', '/', 'operatorNavBack'],
  ['operator', '/operator', 'operatorStart'],
  ['operator', '/operator/hygiene', 'hygieneTitle'],
  ['clientDocuments', '/operator/client-documents', 'documentsTitle'],
  ['usage', '/operator/usage', 'usageTitle'],
  ['operator', '/operator/signing-keys', 'operatorKeysTitle'],
  ['operator', '/operator/health', 'operatorHealthTitle'],
  ['operator', '/operator/audit', 'operatorAuditTitle'],
]

const OPERATORS: readonly Section[] = ['operator', 'clientDocuments']

/** Which parts the navigation and links show. Only operators see the part for operators. */
export function showsSection(section: Section, { has }: Pick<Mount, 'has'>, isOperator: boolean): boolean {
  return has(section) && (!OPERATORS.includes(section) || isOperator)
}

/** A page with the navigation, the notice of what was done before, and the problems of its form. */
export async function withNavigation(view: View, page: Page, call: Call): Promise<View> {
  const { texts, query, problems } = call
  const done = query['done'] ?? ''
  // Another site's link must not make a page claim that something was done.
  const isOwnLink = ['', 'same-origin'].includes(call.ctx.get('Sec-Fetch-Site'))
  const isKnown = done.startsWith('done') && Object.hasOwn(english, done)
  const isNotice = isOwnLink && isKnown && view.status === undefined
  const body = html`${navigation(call, page, await call.isDeveloper)}
    <p class="notice bad" role="alert" data-offline hidden>${texts.html('errorBusy')}</p>
    ${view.trail} ${isNotice && notice('good', html`<p>${texts.html(done as TextName)}</p>`)}
    ${problems.length > 0 && problemList(call)} ${view.body}`
  return { ...view, body, caller: call.caller }
}

/** A part that is mounted alone needs none. */
function navigation(
  { texts, to, has }: Call,
  { section, path }: Page,
  isDeveloper: boolean,
): Html | undefined {
  const isOperators = OPERATORS.includes(section)
  const own = isDeveloper || has('operator') ? ENTRIES : entriesOfNewcomer(section)
  const entries = (isOperators ? OPERATOR_ENTRIES : own).filter(([each]) => has(each))
  if (entries.length < 2) return undefined
  const current = entries.findLast(([each, at]) =>
    isOperators ? `${path}/`.startsWith(`${at}/`) : each === section,
  )
  return html`<nav class="nav" aria-label="${texts.plain(isOperators ? 'operatorNav' : 'navLabel')}">
    <details>
      <summary>${texts.html('navMenu')}${current && html`: ${texts.html(current[2])}`}</summary>
      <ul>
        ${entries.map(
          (entry) =>
            html`<li>
              <a href="${to(entry[1])}" ${entry === current && html`aria-current="page"`}
                >${texts.html(entry[2])}</a
              >
            </li>`,
        )}
      </ul>
    </details>
  </nav>`
}

function entriesOfNewcomer(section: Section): readonly Entry[] {
  const shown = ENTRIES.filter(([each]) => each === section || !FOR_DEVELOPERS.includes(each))
  return FOR_DEVELOPERS.includes(section) ? shown : [...shown, ['apiKeys', '/api-keys', 'navDevelopers']]
}

/** The labels of what a form sends besides fields of a client. */
const OTHER_LABELS: Readonly<Record<string, TextName>> = {
  key: 'keysLabel',
  host: 'documentsHostLabel',
  perMinute: 'limitsPerMinute',
  perDay: 'limitsPerDay',
  userId: 'handOverTo',
  product: 'listProduct',
  resources: 'gatewayResources',
  scope: 'operationLabel',
  overlap: 'problemOverlap',
}

const WITHOUT_INPUT = ['removedOperations', 'firstParty', 'product', 'scope', 'overlap']

function problemList({ texts, problems, form }: Call): Html {
  return notice(
    'bad',
    html`<p><strong>${texts.html('problemsTitle')}</strong></p>
      <ul>
        ${problems.map((problem) => html`<li>${fieldOf(problem.path, texts, form)}${problemText(problem, texts)}</li>`)}
      </ul>`,
  )
}

/** “Redirect URIs, line 2”. @param path such as `redirectUris[1]` */
function fieldOf(path: string, texts: Reader, form: Form): Html | undefined {
  const [, field = '', index] = /^(\w+)(?:\[(\d+)\])?$/.exec(path) ?? []
  const label =
    SHOWN_FIELDS.get(field)?.label ?? (Object.hasOwn(OTHER_LABELS, field) ? OTHER_LABELS[field] : undefined)
  if (label === undefined) return path === '' ? undefined : html`<code>${path}</code>: `
  const name = texts.html(label)
  const place =
    index === undefined
      ? name
      : texts.html('problemLine', { field: name, count: typedLineOf(form.get(field), Number(index)) })
  return WITHOUT_INPUT.includes(field) ? html`${place}: ` : html`<a href="#${field}">${place}</a>: `
}

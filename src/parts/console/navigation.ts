import { html, type Html } from '../../http/html.ts'
import { notice } from './elements/elements.ts'
import { problemList } from './elements/problem-list.ts'
import type { Mount } from './mount.ts'
import type { Call, Page, Section, View } from './page-types.ts'
import { english, type TextName } from './texts.ts'

const ENTRIES: readonly (readonly [Section, string, TextName])[] = [
  ['overview', '/', 'navOverview'],
  ['apiKeys', '/api-keys', 'navApiKeys'],
  ['applications', '/applications', 'navApplications'],
  ['connected', '/connected-applications', 'navConnected'],
  ['usage', '/usage', 'usageTitle'],
  ['activity', '/activity', 'navActivity'],
  ['inspector', '/token-inspector', 'navInspector'],
  ['operator', '/operator', 'navOperator'],
]

const OPERATORS: readonly Section[] = ['operator', 'clientDocuments']

/** In the navigation and in links. Only operators see the part for operators. */
export function showsSection(section: Section, { has }: Pick<Mount, 'has'>, isOperator: boolean): boolean {
  return has(section) && (!OPERATORS.includes(section) || isOperator)
}

/** A page with the navigation, the notice of what was done before, and the problems of its form. */
export function withNavigation(view: View, { section }: Page, call: Call): View {
  const { texts, query, problems } = call
  const done = query['done'] ?? ''
  // Another site's link must not make a page claim that something was done.
  const isOwnLink = ['', 'same-origin'].includes(call.ctx.get('Sec-Fetch-Site'))
  const isKnown = done.startsWith('done') && Object.hasOwn(english, done)
  const isNotice = isOwnLink && isKnown && view.status === undefined
  const body = html`${navigation(call, OPERATORS.includes(section) ? 'operator' : section)}
    <p class="notice bad" role="alert" data-offline hidden>${texts.html('errorBusy')}</p>
    ${view.trail} ${isNotice && notice('good', html`<p>${texts.html(done as TextName)}</p>`)}
    ${problems.length > 0 && problemList(call)} ${view.body}`
  return { ...view, body }
}

/** A part that is mounted alone needs none. */
function navigation({ texts, to, has }: Call, current: Section): Html | undefined {
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

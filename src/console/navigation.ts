import { html, type Html } from '../http/html.ts'
import type { Call, Section } from './page.ts'
import type { TextName } from './texts.ts'

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
export function navigation(
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

import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { problemText } from '../problem-texts.ts'
import type { Call } from '../page-types.ts'
import type { Reader } from '../reader-formats.ts'
import type { TextName } from '../texts.ts'
import { notice } from './elements.ts'
import { typedLineOf } from './form.ts'

export const FIELD_LABELS = {
  name: 'nameLabel',
  expiresAt: 'expiryLabel',
  allowedAddresses: 'addressesTitle',
  redirectUris: 'appsRedirectUris',
  postLogoutRedirectUris: 'appsPostLogout',
  origins: 'appsOrigins',
  homepageUri: 'appsHomepage',
  logoUri: 'appsLogo',
  privacyUri: 'privacyPolicy',
  termsUri: 'appsTerms',
  key: 'keysLabel',
} as const satisfies Readonly<Record<string, TextName>>

/** Values that a form sends without a text field have a label too. */
const LABELS = new Map<string, TextName>(
  Object.entries({
    ...FIELD_LABELS,
    products: 'productsLabel',
    host: 'documentsHostLabel',
    perMinute: 'limitsPerMinute',
    perDay: 'limitsPerDay',
    product: 'problemProduct',
    removedOperations: 'operationLabel',
    scope: 'operationLabel',
    overlap: 'problemOverlap',
    firstParty: 'activityFieldFirstParty',
  }),
)

/** The problems of a rejected form, for the top of its page. */
export function problemList({ texts, problems, form }: Call): Html {
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
  const label = LABELS.get(field)
  if (label === undefined) return path === '' ? undefined : html`<code>${path}</code>: `
  const name = texts.html(label)
  const place =
    index === undefined
      ? name
      : texts.html('problemLine', { field: name, count: typedLineOf(form.get(field), Number(index)) })
  return Object.hasOwn(FIELD_LABELS, field) ? html`<a href="#${field}">${place}</a>: ` : html`${place}: `
}

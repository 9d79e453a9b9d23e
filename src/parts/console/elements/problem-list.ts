import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { problemText } from '../problem-texts.ts'
import type { Call } from '../page-types.ts'
import type { Reader } from '../reader-formats.ts'
import type { TextName } from '../texts.ts'
import { notice } from './elements.ts'
import { typedLineOf } from './form.ts'
import { SHOWN_FIELDS } from './plain-inputs.ts'

/** The labels of what a form sends besides fields of a client. */
const OTHER_LABELS: Readonly<Record<string, TextName>> = {
  key: 'keysLabel',
  host: 'documentsHostLabel',
  perMinute: 'limitsPerMinute',
  perDay: 'limitsPerDay',
  product: 'problemProduct',
  scope: 'operationLabel',
  overlap: 'problemOverlap',
}

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
  const known = SHOWN_FIELDS.get(field)
  const label = known?.label ?? (Object.hasOwn(OTHER_LABELS, field) ? OTHER_LABELS[field] : undefined)
  if (label === undefined) return path === '' ? undefined : html`<code>${path}</code>: `
  const name = texts.html(label)
  const place =
    index === undefined
      ? name
      : texts.html('problemLine', { field: name, count: typedLineOf(form.get(field), Number(index)) })
  return known?.input || field === 'key' ? html`<a href="#${field}">${place}</a>: ` : html`${place}: `
}

/** Only `html` and `trustedHtml` create markup, so that a text from outside is never taken for it. */
class Html {
  readonly #markup: string
  constructor(markup: string) {
    this.#markup = markup
  }
  toString(): string {
    return this.#markup
  }
}

export type { Html }

/** `undefined`, `null` and `false` render as nothing. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[]

const ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(render).join('')
  if (value === undefined || value === null || value === false) return ''
  return String(value).replaceAll(/[&<>"']/g, (character) => `&${ENTITIES[character]};`)
}

/** Escapes every value of a template except markup. Attributes must be quoted: others are not safe. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const [first = '', ...others] = withoutIndentation(strings)
  // `String.raw` would take three times as long, and a page has a thousand templates.
  return new Html(values.reduce<string>((all, value, at) => all + render(value) + others[at], first))
}

const compactTexts = new WeakMap<TemplateStringsArray, readonly string[]>()

/** The indentation of the source is up to half of a page. Values stay as they are. */
function withoutIndentation(strings: TemplateStringsArray): readonly string[] {
  const known = compactTexts.get(strings)
  if (known) return known
  const texts = strings.map((text) => text.replaceAll(/\n\s*/g, '\n'))
  compactTexts.set(strings, texts)
  return texts
}

/** Use it only for our own constants, such as a stylesheet. Never use it for a text from outside. */
export function trustedHtml(markup: string): Html {
  return new Html(markup)
}

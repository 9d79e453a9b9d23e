/** Markup that is safe to send: made by `html` alone, so that a text from outside can never pass for it. */
class SafeHtml {
  readonly #markup: string
  constructor(markup: string) {
    this.#markup = markup
  }
  toString(): string {
    return this.#markup
  }
}

/** Markup in which everything that came from elsewhere is escaped. */
export type Html = SafeHtml

/** What may stand in a template. `undefined`, `null` and `false` render as nothing. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(value: HtmlValue): string {
  if (value instanceof SafeHtml) return value.toString()
  if (Array.isArray(value)) return value.map(render).join('')
  if (value === undefined || value === null || value === false) return ''
  return String(value).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/**
 * Tagged template for markup: every value is escaped, for text as well as for quoted attributes; markup made
 * by `html` itself is kept. Attributes must be quoted: escaping cannot help an unquoted one.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new SafeHtml(String.raw({ raw: strings }, ...values.map(render)))
}

/** Takes `markup` as safe. For constants of our own alone: a stylesheet, never a text from outside. */
export function trustedHtml(markup: string): Html {
  return new SafeHtml(markup)
}

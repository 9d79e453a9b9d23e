/** HTML that is inserted into a page without escaping. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Insertable = Html | string | number | undefined | false | readonly Insertable[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(value: Insertable): string {
  if (value instanceof Html) return value.text
  if (value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(escaped).join('')
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** A fragment of a page. Inserted values are escaped, unless they are fragments themselves. */
export function html(parts: TemplateStringsArray, ...values: Insertable[]): Html {
  return new Html(parts.reduce((text, part, i) => text + escaped(values[i - 1]) + part))
}

/** Markup that is inserted unchanged. Only for markup that is safe already, such as a page of the console. */
export function trustedHtml(markup: string): Html {
  return new Html(markup)
}

/** Options of a page. */
interface PageOptions {
  readonly lang?: string
  readonly dir?: string
  readonly isWide?: boolean
  /** What the header says about the account. */
  readonly account?: Html | undefined
}

/** A whole page, as text. */
export function page(
  site: { name: string; tagline: string; style: string },
  title: string,
  content: Html,
  { lang = 'en', dir = 'ltr', isWide = false, account }: PageOptions = {},
): string {
  return html`<!doctype html>
    <html lang="${lang}" dir="${dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · ${site.name}</title>
        <link rel="stylesheet" href="${site.style}" />
      </head>
      <body ${isWide && html`class="wide"`}>
        <header>
          <a class="name" href="/">${site.name}</a>
          <span class="tagline">${site.tagline}</span>
          ${account}
        </header>
        <main>${content}</main>
      </body>
    </html> `.text
}

/** The stylesheet of a site with `accent` as its accent colour. */
export const stylesheet = (accent: string): string => `
:root { color-scheme: light dark; --accent: ${accent}; --line: light-dark(#d9dee6, #39414f); --soft: light-dark(#5b6472, #a3adbb) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: light-dark(#f5f6f8, #14181f); color: light-dark(#1b2027, #e8ebf0) }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; padding: 1rem max(1rem, 50vw - 21rem); border-bottom: 1px solid var(--line); background: light-dark(#fff, #1b2028) }
.wide header { padding-inline: max(1rem, 50vw - 31rem) } .account { display: flex; gap: .75rem; align-items: baseline; margin-inline-start: auto } .account button { padding: .2rem .6rem; font-size: .9rem } .account a { color: inherit }
.name { color: inherit; font-weight: 700; font-size: 1.15rem; text-decoration: none }
.name::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .45em; border-radius: 2px; background: var(--accent) }
.tagline, small, dt, th { color: var(--soft) }
main { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 3rem } .wide main { max-width: 64rem }
section { padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px; background: light-dark(#fff, #1b2028); overflow-x: auto }
h1, h2 { margin: 0 0 .5rem; line-height: 1.25; text-wrap: balance } h1 { font-size: 1.5rem } h2 { font-size: 1.1rem }
p { margin: .5rem 0 } section > :last-child { margin-bottom: 0 } p, .note { text-wrap: pretty }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400 }
tr:last-child td { border-bottom: 0 } td:first-child { white-space: nowrap } th { font-size: .85rem } td.amount, th.amount { padding-right: 0; text-align: right }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: .5rem 0 } dd { margin: 0; overflow-wrap: anywhere } .whole { white-space: nowrap }
form { margin: 0 } .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1rem }
label { display: block; margin: .75rem 0 } input { display: block; width: 100%; margin-top: .2rem; padding: .55rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--soft); border-radius: 6px }
label.tick { display: flex; gap: .5rem; align-items: center; margin: .4rem 0 } input[type=checkbox] { width: auto; margin: 0 } code { overflow-wrap: anywhere }
button, .button { display: inline-block; padding: .55rem 1rem; font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; color: #fff; background: var(--accent); border: 1px solid var(--accent); border-radius: 6px }
button.plain { color: inherit; background: transparent; border-color: var(--soft); font-weight: 400 }
main :where(a:not(.button)) { color: light-dark(var(--accent), color-mix(in srgb, var(--accent) 45%, white)) }
:focus-visible { outline: 3px solid color-mix(in srgb, var(--accent) 60%, white); outline-offset: 2px }
.note { padding: .75rem 1rem; border: 1px solid; border-left-width: 5px; border-radius: 6px; background: light-dark(#fff, #1b2028) }
.good { border-color: #2e8b57 } .bad { border-color: #c2410c }
@media (max-width: 30rem) { .actions { flex-direction: column } .actions .button, .actions button { width: 100%; text-align: center } }
`

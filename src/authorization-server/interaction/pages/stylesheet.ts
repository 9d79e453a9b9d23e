import { createHash } from 'node:crypto'
import { accentShades } from '../../../http/pages/accent.ts'
import { LOGO_TILE_CSS } from '../../../http/pages/logo-tile.ts'

/**
 * The backgrounds on which an accent colour must be readable: the darkest light background, and the lightest
 * dark background.
 */
const GROUNDS = { light: '#eef1f5', dark: '#232b38' }

/**
 * Creates the stylesheet with the host's accent colour. Each page contains the whole stylesheet, so a page
 * needs no other file.
 *
 * @param accentColor `#rrggbb`
 * @returns the stylesheet, and its hash in the form that CSP needs: `sha256-…`
 * @throws {GatehouseError} `ERR_OPTIONS` if `accentColor` is not a colour
 */
export function createStylesheet(accentColor: string) {
  const accent = accentShades(accentColor, GROUNDS)
  const css = `
:root {
  color-scheme: light dark;
  --page: #f5f7fa; --card: #ffffff; --soft: ${GROUNDS.light}; --line: #d8dee8; --edge: #747e91;
  --text: #18202d; --muted: #525d70; --accent: ${accent.onLight};
  --fill: ${accent.fill}; --on-fill: ${accent.onFill};
  --bad: #a3201a; --bad-soft: #fdeeec; --shadow: 0 1px 2px #18202d14, 0 12px 32px #18202d14;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f131a; --card: #181e28; --soft: ${GROUNDS.dark}; --line: #303a4a; --edge: #7f8aa0;
    --text: #edf0f5; --muted: #a9b3c4; --accent: ${accent.onDark};
    --bad: #ffb3aa; --bad-soft: #3b1f1e; --shadow: none;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; padding: 3.5rem 1rem; background: var(--page); color: var(--text);
  display: flex; flex-direction: column; align-items: center; gap: 1.5rem; overflow-wrap: anywhere;
}
h1, h2, p, ul, fieldset, legend { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
h2 { font-size: 1rem; font-weight: 650; }
p { text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .375rem; }
.alert:focus { outline: none; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.service { display: flex; align-items: center; gap: .625rem; font-size: 1.0625rem; font-weight: 600; max-width: 100%; }
.service img { max-height: 2rem; max-width: 10rem; }
main {
  width: 100%; max-width: 26.5rem; padding: 2.5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow);
  display: flex; flex-direction: column; gap: 1.75rem;
}
main.wide { max-width: 34rem; }
.intro { display: flex; flex-direction: column; gap: .375rem; }
form, .field { display: flex; flex-direction: column; }
form { gap: 1.5rem; }
.field { gap: .375rem; }
.field label { font-weight: 600; font-size: .9375rem; }
input[type="text"], input[type="password"] {
  font: inherit; color: inherit; background: var(--card); width: 100%; min-height: 3rem; padding: .5rem .875rem;
  border: 1px solid var(--edge); border-radius: .5rem;
}
input:focus-visible { outline-offset: 0; }
input[aria-invalid="true"] { border-color: var(--bad); }

.alert { padding: .875rem 1rem; border-radius: .5rem; background: var(--bad-soft); color: var(--bad); font-weight: 500; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
.buttons > * { flex: 1 1 auto; min-width: 8rem; }
button, .button {
  font: inherit; font-weight: 600; min-height: 3rem; padding: .5rem 1.25rem; cursor: pointer;
  border: 1px solid var(--edge); border-radius: .5rem; background: transparent; color: var(--text);
  display: inline-flex; align-items: center; justify-content: center; text-decoration: none; text-align: center;
}
button:hover, .button:hover { background: var(--soft); }
.primary, .primary:hover { background: var(--fill); color: var(--on-fill); border-color: var(--accent); }
.primary:hover { box-shadow: 0 0 0 3px color-mix(in srgb, var(--accent) 30%, transparent); }
.plain {
  min-height: 2.75rem; padding: .25rem .5rem; border: 0; color: var(--accent); font-size: .875rem;
  text-decoration: underline; text-underline-offset: .2em;
}

.application { display: flex; flex-direction: column; gap: 1.25rem; }
${LOGO_TILE_CSS.trim()}
.account {
  display: flex; flex-wrap: wrap; flex-direction: row; align-items: center; justify-content: space-between;
  gap: 0 1rem; padding: .375rem 1rem; background: var(--soft); border-radius: .625rem;
}
.account p { padding: .375rem 0; }
.account .plain { padding-inline: 0; }
.account bdi { font-weight: 600; }
.account .muted bdi { font-weight: 400; }

fieldset { border: 0; min-width: 0; display: flex; flex-wrap: wrap; align-items: end; justify-content: space-between; gap: .5rem 1rem; }
legend { display: block; float: inline-start; flex: 1 1 12rem; }
.choose { display: flex; gap: .25rem; margin-block: -.5rem; margin-inline: auto -.5rem; }
.choose .plain { min-width: 2.75rem; }
.rows { flex: 0 0 100%;  list-style: none; border: 1px solid var(--line); border-radius: .625rem; overflow: hidden; }
.row { display: flex; gap: .875rem; padding: .8125rem 1rem; min-height: 2.75rem; cursor: pointer; }
.rows > li + li { border-top: 1px solid var(--line); }
label.row:hover { background: var(--soft); }
.row:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: .625rem; }
.row :focus-visible { outline: none; }
.row input { flex: none; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
.row .tick { flex: none; width: 1.25rem; text-align: center; color: var(--accent); font-weight: 700; }
.row.fixed { cursor: default; }
.what { display: flex; flex-direction: column; flex: 1; min-width: 0; }
.note { flex: none; align-self: flex-start; padding: .125rem .5rem; border-radius: 1rem; border: 1px solid var(--line); font-size: .75rem; color: var(--muted); background: var(--card); }
.notes { flex: none; display: flex; flex-direction: column; align-items: flex-end; gap: .25rem; }
.notes .note { align-self: auto; }
.note.sensitive { border-color: currentColor; color: var(--bad); background: var(--bad-soft); font-weight: 650; }
.facts { display: flex; flex-direction: column; gap: .25rem; padding-top: .25rem; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
code { font: .875rem/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace; }
.details { padding: .875rem 1rem; border-radius: .625rem; background: var(--soft); display: flex; flex-direction: column; gap: .25rem; }

@media (max-width: 32rem) {
  body { padding: 1.25rem 0 0; background: var(--card); gap: 0; align-items: stretch; }
  .service { padding: 0 1.25rem; }
  main, main.wide { max-width: none; padding: 1.5rem 1.25rem 2rem; border: 0; border-radius: 0; box-shadow: none; }
  .row { flex-wrap: wrap; row-gap: .375rem; }
  .what { flex-basis: calc(100% - 2.125rem); }
  .notes { flex-direction: row; flex-wrap: wrap; margin-inline-start: 2.125rem; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .button, .row { transition: background-color .12s, box-shadow .12s; }
}
`
  return { css, hash: `sha256-${createHash('sha256').update(css).digest('base64')}` }
}

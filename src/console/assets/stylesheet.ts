import { accentShades } from '../../http/pages/accent.ts'
import { LOGO_TILE_CSS } from '../../http/pages/logo-tile.ts'

/** The backgrounds on which an accent colour must be readable. */
const GROUNDS = { light: '#eef1f5', dark: '#232b38' }

/**
 * Creates the stylesheet of the console. Every rule applies below `.gatehouse` only, so that the host's own pages stay as
 * they are. Colours follow the `color-scheme` of the page around. A host changes the custom properties `--gatehouse-…`.
 *
 * @param accentColor `#rrggbb`
 * @throws {GatehouseError} `ERR_OPTIONS` if `accentColor` is not a colour
 */
export function createConsoleStylesheet(accentColor: string): string {
  const accent = accentShades(accentColor, GROUNDS)
  return `
.gatehouse {
  --card: var(--gatehouse-card, light-dark(#fff, #181e28));
  --soft: var(--gatehouse-soft, light-dark(${GROUNDS.light}, ${GROUNDS.dark}));
  --line: var(--gatehouse-line, light-dark(#d8dee8, #303a4a));
  --edge: var(--gatehouse-edge, light-dark(#747e91, #7f8aa0));
  --text: var(--gatehouse-text, light-dark(#18202d, #edf0f5));
  --muted: var(--gatehouse-muted, light-dark(#525d70, #a9b3c4));
  --accent: var(--gatehouse-accent, light-dark(${accent.onLight}, ${accent.onDark}));
  --fill: var(--gatehouse-fill, ${accent.fill});
  --on-fill: var(--gatehouse-on-fill, ${accent.onFill});
  --bad: var(--gatehouse-bad, light-dark(#a3201a, #ffb3aa));
  --bad-soft: var(--gatehouse-bad-soft, light-dark(#fdeeec, #3b1f1e));
  --good: var(--gatehouse-good, light-dark(#17633a, #8fdcae));
  --good-soft: var(--gatehouse-good-soft, light-dark(#e6f4ea, #17301f));
  --warn: var(--gatehouse-warn, light-dark(#7a4a00, #f3c98b));
  --warn-soft: var(--gatehouse-warn-soft, light-dark(#fdf3df, #372812));
  --radius: var(--gatehouse-radius, .5rem);
  color: var(--text); line-height: 1.5; overflow-wrap: anywhere; text-align: start;
  display: flex; flex-direction: column; gap: 1.5rem;
}
.gatehouse[aria-busy] { cursor: progress; }
/* The rules of the host for elements must not apply here. */
.gatehouse :is(a, bdi, button, caption, code, dd, details, div, dl, dt, fieldset, form, h1, h2, h3, iframe, img, input, label, legend, li, nav, ol, option, p, pre, section, select, span, strong, summary, table, tbody, td, textarea, th, thead, time, tr, ul) { all: revert; box-sizing: border-box; }
.gatehouse *, .gatehouse *::before, .gatehouse *::after { box-sizing: border-box; }
.gatehouse :is(h1, h2, h3, p, ul, ol, dl, dd, table, fieldset, legend, pre) { margin: 0; padding: 0; }
.gatehouse h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
.gatehouse h2 { font-size: 1.0625rem; line-height: 1.35; font-weight: 650; }
.gatehouse h3 { font-size: .9375rem; font-weight: 650; }
.gatehouse a { color: var(--accent); text-underline-offset: .2em; }
.gatehouse p { max-width: 44rem; text-wrap: pretty; }
.gatehouse :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
.gatehouse :is(h1, .notice):focus { outline: none; }
.gatehouse [hidden] { display: none !important; }
.gatehouse .muted { color: var(--muted); }
.gatehouse .small { font-size: .875rem; }
.gatehouse .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.gatehouse .whole { white-space: nowrap; }
.gatehouse .number { text-align: end; font-variant-numeric: tabular-nums; }
.gatehouse .stack { display: flex; flex-direction: column; gap: 1rem; }
.gatehouse .tight { display: flex; flex-direction: column; gap: .25rem; min-width: 0; }
.gatehouse .line { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.gatehouse .spread { justify-content: space-between; }

.gatehouse .nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .125rem; border-bottom: 1px solid var(--line); }
.gatehouse .nav a { display: block; padding: .625rem .75rem; min-height: 2.75rem; color: var(--muted); text-decoration: none; border-bottom: 3px solid transparent; }
.gatehouse .nav a:hover { color: var(--text); background: var(--soft); }
.gatehouse .nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
.gatehouse .trail-links { font-size: .875rem; display: flex; flex-wrap: wrap; gap: .25rem .5rem; }

.gatehouse .choice-links { display: flex; flex-wrap: wrap; gap: .25rem; }
.gatehouse .choice-links a { padding: .25rem .75rem; min-height: 2.25rem; border: 1px solid transparent; border-radius: 2rem; color: var(--muted); text-decoration: none; font-size: .9375rem; }
.gatehouse .choice-links a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--edge); background: var(--card); }
.gatehouse .event .line { font-weight: 500; }
.gatehouse .event .small { font-weight: 400; }
/* Words of the audit trail stay whole. Only names and ids break anywhere. */
.gatehouse table:has(.event) { overflow-wrap: break-word; }
.gatehouse table:has(.event) :is(bdi, code, [dir="ltr"]) { overflow-wrap: anywhere; }
.gatehouse .origin { display: inline-flex; flex-direction: column; gap: .25rem; }

.gatehouse .panel { background: var(--card); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); padding: 1.25rem; display: flex; flex-direction: column; gap: 1rem; }
.gatehouse .panel.danger { border-color: var(--bad); }
.gatehouse .columns { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
.gatehouse .facts { display: grid; gap: .375rem 1.25rem; grid-template-columns: max-content 1fr; }
.gatehouse .facts dt { color: var(--muted); }
.gatehouse .facts dd { min-width: 0; }

.gatehouse table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
.gatehouse caption { text-align: start; padding-bottom: .5rem; color: var(--muted); font-size: .875rem; }
.gatehouse :is(th, td) { text-align: start; vertical-align: baseline; padding: .625rem .75rem .625rem 0; border-bottom: 1px solid var(--line); }
.gatehouse thead th { color: var(--muted); font-size: .8125rem; font-weight: 600; }
.gatehouse tbody th { font-weight: 600; }
.gatehouse tbody tr:last-child > * { border-bottom: 0; }
.gatehouse :is(th, td):last-child { padding-inline-end: 0; }

.gatehouse .badge { display: inline-block; padding: .0625rem .5rem; border: 1px solid currentcolor; border-radius: 1rem; font-size: .75rem; font-weight: 600; white-space: nowrap; color: var(--muted); }
.gatehouse .badge.good { color: var(--good); background: var(--good-soft); }
.gatehouse .badge.warn { color: var(--warn); background: var(--warn-soft); }
.gatehouse .badge.bad { color: var(--bad); background: var(--bad-soft); }

.gatehouse .notice { padding: .875rem 1rem; border-radius: var(--radius); border-inline-start: 4px solid; background: var(--soft); display: flex; flex-direction: column; gap: .25rem; }
.gatehouse .notice.good { color: var(--good); background: var(--good-soft); }
.gatehouse .notice.warn { color: var(--warn); background: var(--warn-soft); }
.gatehouse .notice.bad { color: var(--bad); background: var(--bad-soft); }
.gatehouse .notice :is(a, code) { color: inherit; }
.gatehouse .notice ul { padding-inline-start: 1.25rem; }

.gatehouse form { display: flex; flex-direction: column; gap: 1.25rem; }
.gatehouse form.inline { display: inline-flex; flex-direction: row; }
.gatehouse .field { display: flex; flex-direction: column; gap: .25rem; max-width: 40rem; }
.gatehouse .field > label, .gatehouse legend { font-weight: 600; font-size: .9375rem; }
.gatehouse fieldset { border: 0; min-width: 0; display: flex; flex-direction: column; gap: .5rem; }
.gatehouse :is(input:not([type="checkbox"], [type="radio"]), textarea, select) {
  font: inherit; color: inherit; background: var(--card); width: 100%; min-height: 2.75rem; padding: .5rem .75rem;
  border: 1px solid var(--edge); border-radius: var(--radius);
}
.gatehouse .field textarea { min-height: 6rem; resize: vertical; }
.gatehouse .field .code, .gatehouse code, .gatehouse pre { font: .875rem/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace; }
.gatehouse [aria-invalid="true"] { border-color: var(--bad); }
.gatehouse .problem { color: var(--bad); font-weight: 500; font-size: .875rem; }
.gatehouse .hint { color: var(--muted); font-size: .875rem; }
.gatehouse .choices { list-style: none; border: 1px solid var(--line); border-radius: var(--radius); }
.gatehouse .choices > li + li { border-top: 1px solid var(--line); }
.gatehouse .choice { display: flex; gap: .75rem; padding: .75rem 1rem; min-height: 2.75rem; align-items: baseline; cursor: pointer; }
.gatehouse .choice:hover { background: var(--soft); }
.gatehouse .choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); position: relative; top: .1875rem; }

.gatehouse .items { list-style: none; }
.gatehouse .items > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding-block: .75rem; }
.gatehouse .items > li + li { border-top: 1px solid var(--line); }
.gatehouse .items > li > .tight { flex: 1 1 16rem; }
.gatehouse .panel > .items > li:first-child { padding-block-start: 0; }
.gatehouse .panel > .items:last-child > li:last-child { padding-block-end: 0; }
.gatehouse .points { padding-inline-start: 1.25rem; display: flex; flex-direction: column; gap: .25rem; }
.gatehouse .choices details { margin-inline: 2.875rem 1rem; }
.gatehouse .choices details ul { list-style: none; border-inline-start: 2px solid var(--line); }
.gatehouse .choices summary { font-size: .875rem; min-height: 2.25rem; padding-block: .25rem; }

/* The operations of a product that is not ticked. */
.gatehouse .choices > li:not(:has(> .choice > input:checked)) details :is(.choice, .badge) { color: var(--muted); }
.gatehouse .choices > li:not(:has(> .choice > input:checked)) details input { accent-color: var(--edge); }
.gatehouse .choices > li:has(> .choice > input:checked) .unless-chosen { display: none; }

.gatehouse .buttons { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
.gatehouse :is(button, .button) {
  font: inherit; font-weight: 600; font-size: .9375rem; min-height: 2.75rem; padding: .375rem 1rem; cursor: pointer; border: 1px solid var(--edge);
  border-radius: var(--radius); background: transparent; color: var(--text); display: inline-flex; align-items: center; justify-content: center; text-decoration: none; text-align: center;
}
.gatehouse :is(button, .button):hover { background: var(--soft); }
.gatehouse :is(button, .button).primary { background: var(--fill); color: var(--on-fill); border-color: var(--accent); }
.gatehouse :is(button, .button).primary:hover { box-shadow: 0 0 0 3px color-mix(in srgb, var(--accent) 30%, transparent); }
.gatehouse :is(button, .button).danger { color: var(--bad); border-color: var(--bad); }
.gatehouse :is(button, .button).danger:hover { background: var(--bad-soft); }
.gatehouse :is(button, .button).plain { border-color: transparent; color: var(--accent); padding-inline: .5rem; text-decoration: underline; text-underline-offset: .2em; font-weight: 500; }
.gatehouse :is(button, .button).slim { min-height: 2rem; padding: .125rem .625rem; font-size: .875rem; }

.gatehouse .copyable { display: flex; gap: .5rem; align-items: flex-start; background: var(--soft); border-radius: var(--radius); padding: .375rem .375rem .375rem .875rem; }
.gatehouse .copyable > :first-child { flex: 1; min-width: 0; padding-block: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; direction: ltr; text-align: left; }
.gatehouse .copyable button { flex: none; background: var(--card); }
.gatehouse pre { overflow-x: auto; tab-size: 2; }
.gatehouse summary { cursor: pointer; min-height: 2.75rem; padding-block: .5rem; font-weight: 600; color: var(--accent); }
.gatehouse details > :not(summary) { margin-block-end: .75rem; }
.gatehouse .panel > details > :last-child { margin-block-end: 0; }
.gatehouse .empty { padding: 2rem 1.25rem; text-align: center; align-items: center; border-style: dashed; }
.gatehouse .rows { list-style: none; display: flex; flex-direction: column; gap: 1rem; }
.gatehouse .beside { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: flex-end; }
.gatehouse .beside > .field { flex: 0 1 40rem; }
.gatehouse .lines { white-space: pre-line; }
.gatehouse .preview { width: 100%; height: 52rem; border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); background: var(--card); }
.gatehouse .plain-list { list-style: none; }
.gatehouse .steps { padding-inline-start: 1.5rem; display: flex; flex-direction: column; gap: 1.25rem; }
.gatehouse .steps > li::marker { font-weight: 650; color: var(--muted); }
.gatehouse .steps > li > * + * { margin-block-start: .375rem; }
.gatehouse .bullets { list-style: disc; padding-inline-start: 1.25rem; }
${LOGO_TILE_CSS.trim().replaceAll(/^\.mark/gm, '.gatehouse .mark')}
.gatehouse .identity > .mark { width: 2.75rem; height: 2.75rem; border-radius: .625rem; font-size: 1.25rem; }
.gatehouse .identity { display: flex; flex-wrap: wrap; gap: .5rem .875rem; align-items: flex-start; }
.gatehouse .identity > .tight { flex: 1 1 12rem; }

.gatehouse-page { color-scheme: light dark; font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; text-size-adjust: 100%; }
.gatehouse-page body { margin: 0; background: light-dark(#f5f7fa, #0f131a); color: light-dark(#18202d, #edf0f5); }
.gatehouse-page main, .gatehouse-service { max-width: 64rem; margin-inline: auto; padding: 1rem 1.25rem; }
.gatehouse-page main { padding-block-end: 4rem; }
.gatehouse-service { display: flex; align-items: center; gap: .625rem; font-size: 1.0625rem; font-weight: 600; padding-block-start: 1.5rem; }
.gatehouse-service img { max-height: 2rem; max-width: 10rem; }
.gatehouse form.filter { flex-direction: row; flex-wrap: wrap; align-items: end; gap: .75rem; }
.gatehouse .grows { flex: 1 1 14rem; }

@media (max-width: 40rem) {
  .gatehouse .nav a { padding: .375rem .5rem; min-height: 2.25rem; font-size: .9375rem; }
  .gatehouse .panel { padding: 1rem; }
  .gatehouse table.cards, .gatehouse table.cards :is(tbody, tr, th, td) { display: block; }
  .gatehouse table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .gatehouse table.cards tr { padding-block: .75rem; border-bottom: 1px solid var(--line); }
  .gatehouse table.cards tr:last-child { border-bottom: 0; }
  .gatehouse table.cards :is(th, td) { border: 0; padding: .125rem 0; text-align: start; }
  .gatehouse table.cards td:empty { display: none; }
  .gatehouse table.cards td[data-label]::before { content: attr(data-label) ": "; color: var(--muted); font-size: .875rem; }
  .gatehouse .listing .copyable { flex-direction: column-reverse; align-items: stretch; }
  .gatehouse .listing .copyable button { align-self: end; }
  .gatehouse table.cards td:empty { display: none; }
  .gatehouse .origin { display: inline; }
  .gatehouse .origin > * + *::before { content: " · "; }
  .gatehouse .facts { grid-template-columns: 1fr; gap: 0; }
  .gatehouse .facts dd { margin-block-end: .5rem; }
  .gatehouse .buttons > :is(button, .button) { flex: 1 1 auto; }
}
@media (scripting: none) {
  .gatehouse [data-copy] { display: none; }
}
@media (prefers-reduced-motion: no-preference) {
  .gatehouse :is(button, .button, .choice, .nav a) { transition: background-color .12s, box-shadow .12s; }
}
`
}

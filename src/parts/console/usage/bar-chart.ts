import { html, type Html } from '../../../http/html.ts'
import type { Call } from '../page-types.ts'
import type { UsageRow } from '../../usage/list-usage.ts'
import type { Result } from '../../usage/outcomes.ts'

/** Each result with its text, its color, and its tile of 6 × 6 pixels: full, diagonals, squares. Its first letter names the tile. */
const LOOKS = {
  successful: ['usageSuccessful', 'accent', 'M0 0h6v6H0z'],
  rejected: ['usageRejected', 'warn', 'M0 6 6 0v3L3 6zM0 0h3L0 3z'],
  failed: ['usageFailed', 'bad', 'M0 0h3v3H0zM3 3h3v3H3z'],
} as const

export const RESULTS = Object.keys(LOOKS) as Result[]
export const RESULT_TEXTS = RESULTS.map((name) => LOOKS[name][0])

export type Sums = Readonly<Record<Result, number>>
export const NONE: Sums = { successful: 0, rejected: 0, failed: 0 }
export const totalOf = ({ successful, rejected, failed }: Sums): number => successful + rejected + failed

export function sumsBy<Key>(rows: readonly UsageRow[], keyOf: (row: UsageRow) => Key): Map<Key, Sums> {
  const sums = new Map<Key, Record<Result, number>>()
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { ...NONE }
    if (row.result) sums.set(keyOf(row), sum)
    if (row.result) sum[row.result] += row.count
  }
  return sums
}

/** In pixels, as in console.css. Across, lengths are percentages: the chart is as wide as the page, and texts stay as they are. */
const HEIGHT = 160
const LABELS = 24
/** So that few failed calls among many are seen. */
const LEAST = 2
const MIN_LINES = 3

interface Bar {
  readonly time: string
  /** Below the axis, for some of the bars. */
  readonly label: string | false
  readonly sums: Sums | undefined
}

/** A chart of calls with its texts. It says the sums to screen readers, and the numbers of a bar as its tooltip. */
export function barChart({ texts }: Pick<Call, 'texts'>, bars: readonly Bar[], sum: Sums): Html {
  const most = Math.max(...bars.map(({ sums = NONE }) => totalOf(sums)))
  const step = stepOf(most)
  const lines = Math.max(MIN_LINES, Math.ceil(most / step))
  const across = (place: number) => `${((100 * place) / bars.length).toFixed(2)}%`
  const valueOf = (sums: Sums) => {
    const present = RESULTS.filter((name) => sums[name] > 0)
    const results = present.map((name) => `${texts.plain(LOOKS[name][0])}: ${texts.number(sums[name])}`)
    return `${texts.plain('usageSum', { count: totalOf(sums) })} (${results.join(', ')})`
  }
  const partsOf = (sums: Sums) => {
    let y = HEIGHT
    return RESULTS.filter((name) => sums[name] > 0).map((name) => {
      const height = Math.max(LEAST, Math.round((sums[name] / step / lines) * HEIGHT))
      y -= height
      return html`<rect y="${y}" height="${height}" fill="url(#usage-${name[0]})" />`
    })
  }
  return html`<svg class="bars" role="img" aria-label="${valueOf(sum)}" height="${HEIGHT + LABELS}">
    ${RESULTS.map((name) => {
      const [, color, tile] = LOOKS[name]
      return html`<pattern id="usage-${name[0]}" width="6" height="6" patternUnits="userSpaceOnUse">
        <path d="${tile}" fill="var(--${color})" />
      </pattern>`
    })}
    ${Array.from({ length: lines + 1 }, (_, at) => {
      const y = HEIGHT - (at / lines) * HEIGHT
      return html`<line x2="100%" y1="${y}" y2="${y}" />
        <text class="value" x="-8" y="${y + 4}">${texts.number(at * step)}</text>`
    })}
    ${bars.map(({ time, label, sums }, at) => {
      const text = label !== false && html`<text x="${across(at + 0.5)}" y="${HEIGHT + 18}">${label}</text>`
      if (!sums) return text
      return html`${text}
        <svg x="${across(at)}" width="${across(1)}">
          <title>${time}: ${valueOf(sums)}</title>
          <rect />
          ${partsOf(sums)}
        </svg>`
    })}
  </svg>`
}

/** The distance of the lines: 1, 2 or 5 times a power of ten. */
function stepOf(most: number): number {
  const longest = Math.max(1, Math.floor(most / MIN_LINES))
  const power = 10 ** (String(longest).length - 1)
  return power * ([5, 2].find((each) => each * power <= longest) ?? 1)
}

/** What the patterns mean, with the sums. */
export function legend({ texts }: Pick<Call, 'texts'>, sums: Sums): Html {
  const swatchOf = (name: Result) =>
    html`<svg width="12" height="12" aria-hidden="true">
      <rect width="12" height="12" fill="url(#usage-${name[0]})" />
    </svg>`
  return html`<ul class="legend">
    ${RESULTS.map((name) => html`<li>${swatchOf(name)} ${texts.html(LOOKS[name][0])}: ${texts.number(sums[name])}</li>`)}
  </ul>`
}

import { html, type Html } from '../../../http/html.ts'
import { columns, table } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { Result } from '../../usage/outcomes.ts'
import type { TextName } from '../texts.ts'

export const RESULTS = {
  successful: 'usageSuccessful',
  rejected: 'usageRejected',
  failed: 'usageFailed',
} as const satisfies Readonly<Record<Result, TextName>>

export type Sums = Readonly<Record<Result, number>>

export const totalOf = ({ successful, rejected, failed }: Sums): number => successful + rejected + failed

export interface Bar {
  /** Epoch seconds. */
  readonly at: number
  readonly sums: Sums
}

const HEIGHT = 100
/** With the gap after the bar. */
const STEP = 12
const WIDTH = 9
/** So that few failed calls among many are seen. */
const LEAST = 2

/** A picture for eyes, a sentence for screen readers, and a table for both. @param nameOf writes the time */
export function barChart(
  { texts }: Pick<Call, 'texts'>,
  bars: readonly Bar[],
  nameOf: (at: number) => Html,
): Html {
  const most = Math.max(...bars.map(({ sums }) => totalOf(sums)))
  const present = bars.filter(({ sums }) => totalOf(sums) > 0)
  const sum = sumOf(bars.map(({ sums }) => sums))
  if (most === 0) return html`<p class="muted">${texts.html('usageNone')}</p>`
  const [first, last] = [bars[0], bars.at(-1)]
  return html`<figure class="chart">
    <figcaption class="ends">
      <span>${texts.html('usageSum', { count: totalOf(sum) })}</span>
      <span class="muted small">${texts.html('usageMost', { count: most })}</span>
    </figcaption>
    <svg viewBox="0 0 ${bars.length * STEP} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
      ${bars.map((bar, at) => rectangles(bar, at, most))}
    </svg>
    <p class="ends muted small" aria-hidden="true">
      <span>${first && nameOf(first.at)}</span> <span>${last && nameOf(last.at)}</span>
    </p>
    ${legend({ texts }, sum)}
    <details>
      <summary>${texts.html('usageTable')}</summary>
      ${table(
        [{ title: texts.html('usageTime') }, ...columns({ texts }, Object.values(RESULTS))],
        present.map(({ at, sums }) => [
          nameOf(at),
          ...resultNames().map((result) => texts.number(sums[result])),
        ]),
      )}
    </details>
  </figure>`
}

export const resultNames = () => Object.keys(RESULTS) as Result[]

export function sumOf(all: readonly Sums[]): Sums {
  const sum = { successful: 0, rejected: 0, failed: 0 }
  for (const each of all) for (const result of resultNames()) sum[result] += each[result]
  return sum
}

function rectangles({ sums }: Bar, at: number, most: number): Html[] {
  let bottom = HEIGHT
  return resultNames().flatMap((result) => {
    if (sums[result] === 0) return []
    const height = Math.max(LEAST, (sums[result] / most) * (HEIGHT - 2 * LEAST))
    bottom -= height
    const [x, y] = [at * STEP + 1, Math.max(0, bottom)].map((each) => each.toFixed(1))
    return html`<rect class="${result}" x="${x}" y="${y}" width="${WIDTH}" height="${height.toFixed(1)}" />`
  })
}

function legend({ texts }: Pick<Call, 'texts'>, sum: Sums): Html {
  return html`<ul class="legend">
    ${resultNames().map((result) => {
      return html`<li>
        <span class="${result}" aria-hidden="true"></span> ${texts.html(RESULTS[result])}:
        ${texts.number(sum[result])}
      </li>`
    })}
  </ul>`
}

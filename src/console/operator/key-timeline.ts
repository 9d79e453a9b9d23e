import { html, type Html } from '../../http/html.ts'
import type { SigningKeyInfo } from '../../keys/signing-keys.ts'
import type { Call } from '../page.ts'
import type { TextName } from '../texts.ts'
import { KEY_STATES } from './key-states.ts'

/** A part of the life of a key. */
type Phase = 'published' | 'signing' | 'previous' | 'past' | 'revoked'

interface Span {
  readonly phase: Phase
  /** Epoch seconds. */
  readonly from: number
  readonly to: number
}

const LEGEND: readonly (readonly [Phase, TextName])[] = [
  ['published', 'operatorLegendPublished'],
  ['signing', 'operatorLegendSigning'],
  ['previous', 'operatorLegendPrevious'],
  ['revoked', 'operatorLegendRevoked'],
]

// Measures of the picture, in its own units. Labels stand in the first part of the width.
const WIDTH = 800
const LABELS = 150
const ROW = 30
const BAR = 14
const TOP = 30
const LABEL_CHARACTERS = 12

/**
 * The life of each key as a bar, with a line at the present. The picture has no colours of its own: the stylesheet
 * gives each phase its colour. For languages from right to left the time goes from right to left too.
 *
 * @param now epoch seconds
 */
export function keyTimeline(
  { texts }: Pick<Call, 'texts'>,
  keys: readonly SigningKeyInfo[],
  now: number,
): Html {
  const rows = keys
    .map((key) => ({ key, spans: spansOf(key, now) }))
    .filter(({ spans }) => spans.length > 0)
    .toSorted(
      (one, other) => one.key.alg.localeCompare(other.key.alg) || startOf(one.spans) - startOf(other.spans),
    )
  const all = rows.flatMap(({ spans }) => spans)
  const first = Math.min(now, ...all.map(({ from }) => from))
  const last = Math.max(now + 1, ...all.map(({ to }) => to))
  const isMirrored = texts.dir === 'rtl'
  const scale = (WIDTH - LABELS - 10) / (last - first)
  const x = (time: number) => LABELS + (time - first) * scale
  /** The horizontal place of something, for the direction of the language. */
  const place = (left: number, width = 0) => Math.round((isMirrored ? WIDTH - left - width : left) * 10) / 10
  const height = TOP + rows.length * ROW + 26

  const bars = rows.map(({ key, spans }, row) => {
    const y = TOP + row * ROW
    const [state] = KEY_STATES[key.state]
    const since = texts.dateTime((key.since ?? startOf(spans)) * 1000)
    const title = texts.plain('operatorTimelineText', {
      kid: key.kid,
      alg: key.alg,
      state: texts.plain(state),
      since: since.toString().replaceAll(/<[^>]*>/g, ''),
    })
    return html`<g>
      <title>${title}</title>
      <text x="${place(0)}" y="${y + BAR - 2}" text-anchor="${isMirrored ? 'end' : 'start'}">
        ${key.alg} ${key.kid.slice(0, LABEL_CHARACTERS - key.alg.length)}…
      </text>
      ${spans.map((span) => {
        const width = Math.max(2, (span.to - span.from) * scale)
        return html`<rect
          class="${span.phase}"
          x="${place(x(span.from), width)}"
          y="${y}"
          width="${Math.round(width * 10) / 10}"
          height="${BAR}"
          rx="3"
        />`
      })}
    </g>`
  })
  const bottom = TOP + rows.length * ROW
  const plain = (time: number) =>
    texts
      .date(time)
      .toString()
      .replaceAll(/<[^>]*>/g, '')
  return html`<figure class="timeline" tabindex="0" aria-label="${texts.plain('operatorTimeline')}">
    <svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" direction="ltr">
      <title>${texts.plain('operatorTimeline')}</title>
      ${bars}
      <line class="axis" x1="${place(LABELS)}" x2="${place(WIDTH - 10)}" y1="${bottom}" y2="${bottom}" />
      <text x="${place(LABELS)}" y="${bottom + 18}" direction="${texts.dir}" text-anchor="start">
        ${plain(first)}
      </text>
      <text x="${place(WIDTH - 10)}" y="${bottom + 18}" direction="${texts.dir}" text-anchor="end">
        ${plain(last)}
      </text>
      <line class="now" x1="${place(x(now))}" x2="${place(x(now))}" y1="${TOP - 8}" y2="${bottom}" />
      <text x="${place(x(now))}" y="${TOP - 14}" direction="${texts.dir}" text-anchor="middle">
        ${texts.plain('operatorTimelineNow')}
      </text>
    </svg>
    <figcaption class="line small">
      ${LEGEND.map(
        ([phase, name]) =>
          html`<span class="legend"
            ><svg width="14" height="14" aria-hidden="true">
              <rect class="${phase}" width="14" height="14" rx="3" /></svg
            >${texts.html(name)}</span
          >`,
      )}
    </figcaption>
  </figure>`
}

function startOf([first]: readonly Span[]): number {
  return first?.from ?? 0
}

/** What is known of the life of a key. It has no record of when an earlier state began. */
function spansOf({ state, createdAt, since, until }: SigningKeyInfo, now: number): Span[] {
  if (createdAt === undefined || since === undefined) return []
  const to = until ?? now
  const before: readonly Span[] = since > createdAt ? [{ phase: 'past', from: createdAt, to: since }] : []
  if (state === 'retired') return [...before]
  if (state === 'next') return [{ phase: 'published', from: createdAt, to: Math.max(to, now) }]
  if (state === 'current') {
    const published: readonly Span[] = before.map((span) => ({ ...span, phase: 'published' }))
    return [...published, { phase: 'signing', from: since, to: Math.max(to, now) }]
  }
  return [...before, { phase: state, from: since, to }]
}

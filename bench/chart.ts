/** Draws the results of the bench as bars: CPU time a request, its user and system part. */
import { OURS, type Report, type Result } from './rounds.ts'

const WIDTH = 720
const LABEL_WIDTH = 250
const VALUE_WIDTH = 90
const BAR_WIDTH = WIDTH - LABEL_WIDTH - VALUE_WIDTH
const ROW_HEIGHT = 20
const TITLE_HEIGHT = 38

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .ours { font-weight: 600 }
  .note { font-size: 11px; fill: #59636e }
  .user { fill: #8c959f } .system { fill: #d1d9e0 }
  .user.ours { fill: #0969da } .system.ours { fill: #a8cdf5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9198a1 }
    .user { fill: #7d8590 } .system { fill: #3d444d }
    .user.ours { fill: #4493f8 } .system.ours { fill: #1f4c85 }
  }
`

/** @returns an SVG of 720 pixels width, which follows the light or dark mode of its reader */
export function drawChart({ date, machine, node, groups }: Report): string {
  const parts: string[] = []
  let top = 0
  for (const { title, results } of groups) {
    parts.push(text(0, top + 26, title, 'title'))
    top += TITLE_HEIGHT
    const largest = Math.max(...results.map(({ cpu }) => cpu.median))
    for (const result of results) {
      parts.push(drawBar(result, top, BAR_WIDTH / largest))
      top += ROW_HEIGHT
    }
  }
  const notes = [
    'CPU time of the server process a request in µs, median of the rounds; dark: user, light: system. Shorter is better.',
    `Node ${node.replace('v', '')}, ${machine.cores} × ${machine.cpu}, ${date}`,
  ]
  parts.push(...notes.map((note, index) => text(0, top + 26 + index * 16, note, 'note')))
  const height = top + 26 + notes.length * 16
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="CPU time a request">`
  return `${head}\n<style>${STYLE}</style>\n${parts.join('\n')}\n</svg>\n`
}

function drawBar({ name, cpu, user, system }: Result, top: number, scale: number): string {
  const ours = name === OURS ? ' ours' : ''
  // User and system are medians of their own, so their sum may differ a little from the median of the total.
  const userWidth = cpu.median * scale * (user.median / (user.median + system.median))
  const systemWidth = cpu.median * scale - userWidth
  const rectangle = (x: number, width: number, kind: string) =>
    `<rect class="${kind}${ours}" x="${fixed(x)}" y="${top + 3}" width="${fixed(width)}" height="14"/>`
  return [
    text(0, top + 15, name, ours.trim()),
    rectangle(LABEL_WIDTH, userWidth, 'user'),
    rectangle(LABEL_WIDTH + userWidth, systemWidth, 'system'),
    text(LABEL_WIDTH + userWidth + systemWidth + 6, top + 15, `${Math.round(cpu.median)} µs`, ours.trim()),
  ].join('\n')
}

function text(x: number, y: number, content: string, kind: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text${kind ? ` class="${kind}"` : ''} x="${fixed(x)}" y="${y}">${escaped}</text>`
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10)
}

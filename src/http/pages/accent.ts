/** Red, green and blue, from 0 to 255. */
type Rgb = readonly number[]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]

/** WCAG 2.2, 1.4.3, for small text. */
const MIN_CONTRAST = 4.5

/** Computes readable shades of an accent colour. All colours are `#rrggbb`; the grounds are those of `GROUNDS`. */
export function accentShades(accent: string, grounds: { light: string; dark: string }) {
  const colour = parse(accent)
  const onFill = contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK
  return {
    fill: format(colour),
    /** Text on `fill`: black or white, with a contrast of at least 4.5:1. */
    onFill: format(onFill),
    onLight: format(shadeTowards(BLACK, colour, parse(grounds.light))),
    onDark: format(shadeTowards(WHITE, colour, parse(grounds.dark))),
  }
}

/** The contrast of two colours, `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  return contrast(parse(one), parse(other))
}

function shadeTowards(end: Rgb, colour: Rgb, ground: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const shade = colour.map((channel, i) => Math.round(channel + ((end[i] ?? 0) - channel) * share))
    if (contrast(shade, ground) >= MIN_CONTRAST) return shade
  }
  return end
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance([red = 0, green = 0, blue = 0]: Rgb): number {
  const linear = (channel: number) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function parse(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const format = (colour: Rgb) => `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`

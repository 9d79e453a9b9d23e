import { readAsset } from '../read-asset.ts'
import { accentShades } from './accent.ts'

/** The darkest light background, and the lightest dark background: `--soft` in the stylesheets. */
export const GROUNDS = { light: '#eef1f5', dark: '#232b38' }

export const LOGO_TILE_RULES = readAsset(new URL('./logo-tile.css', import.meta.url))

/**
 * Creates a stylesheet with the host's accent colour, without comments and line breaks.
 * @param scope the selector of the element that gets the custom properties `--accent-…`
 */
export function createStylesheet(accentColor: string, scope: string, rules: string): string {
  const { fill, onFill, onLight, onDark } = accentShades(accentColor, GROUNDS)
  const shades = `--accent-fill: ${fill}; --accent-on-fill: ${onFill}; --accent-on-light: ${onLight}; --accent-on-dark: ${onDark};`
  return `${scope} { ${shades} } ${rules}`.replaceAll(/\/\*[^]*?(?:\*\/|$)/g, '').replaceAll(/\s+/g, ' ')
}

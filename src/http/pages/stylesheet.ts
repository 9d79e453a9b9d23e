import { readAsset } from '../read-asset.ts'
import { accentShades } from './accent.ts'

/**
 * The backgrounds on which an accent colour must be readable: the darkest light background, and the lightest dark background.
 * They are `--soft` in the stylesheets.
 */
export const GROUNDS = { light: '#eef1f5', dark: '#232b38' }

/** The rules of logo tiles, which several stylesheets contain. */
export const LOGO_TILE_RULES = readAsset(new URL('./logo-tile.css', import.meta.url))

/**
 * Creates a stylesheet with the host's accent colour.
 *
 * @param accentColor `#rrggbb`
 * @param scope the selector of the element on which the stylesheet sets the custom properties `--accent-…`, the shades of
 *   the accent colour
 * @param rules the rules that use these custom properties
 * @returns the stylesheet without comments and line breaks
 */
export function createStylesheet(accentColor: string, scope: string, rules: string): string {
  const { fill, onFill, onLight, onDark } = accentShades(accentColor, GROUNDS)
  const shades = `--accent-fill: ${fill}; --accent-on-fill: ${onFill}; --accent-on-light: ${onLight}; --accent-on-dark: ${onDark};`
  return `${scope} { ${shades} } ${rules}`.replaceAll(/\/\*[^]*?(?:\*\/|$)/g, '').replaceAll(/\s+/g, ' ')
}

import { html, type Html } from '../html.ts'
import { initialOf, webAddress } from './display-text.ts'

/**
 * The stylesheet rules of logo tiles, with the colours `--soft`, `--line` and `--muted` of the page.
 *
 * The picture lies over the letter. A browser treats a picture that cannot be loaded as an empty inline element if its `alt` is
 * empty, its `display` is inline, and its height is not fixed (HTML 15.4.2). It then has no size and no background, so that the
 * letter is visible. The wrapper keeps it inline.
 */
export const LOGO_TILE_CSS = `
.mark {
  position: relative; width: 3.5rem; height: 3.5rem; border-radius: .875rem; overflow: hidden; flex: none;
  background: var(--soft); border: 1px solid var(--line); color: var(--muted);
  display: flex; align-items: center; justify-content: center; font-size: 1.5rem; font-weight: 650;
}
.mark > span { position: absolute; inset: 0; line-height: 0; }
.mark img { width: 100%; min-height: 100%; max-height: 100%; object-fit: contain; background: #fff; vertical-align: top; }
`

/**
 * The logo of an application, or the first letter of its name if there is no logo, or if the logo cannot be loaded. Screen
 * readers skip this tile, so the name must stand next to it.
 *
 * @param name display name of the application
 * @param logoUri an address from outside. The page must allow its origin (`PageNeeds.images`)
 */
export function logoTile(name: string, logoUri: string | undefined): Html {
  const logo = webAddress(logoUri)
  const picture = logo && html`<span><img src="${logo.href}" alt="" referrerpolicy="no-referrer" /></span>`
  return html`<div class="mark" aria-hidden="true">${initialOf(name)}${picture}</div>`
}

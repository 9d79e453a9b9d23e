import { html, type Html } from '../html.ts'
import { initialOf, webAddress } from './display-text.ts'

/**
 * The logo of an application, or the first letter of its name. Screen readers skip this tile, so the name
 * must be next to it. The page must allow the origin of the logo (`PageNeeds.images`).
 */
export function logoTile(name: string, logoUri: string | undefined): Html {
  const logo = webAddress(logoUri)
  const picture = logo && html`<span><img src="${logo.href}" alt="" referrerpolicy="no-referrer" /></span>`
  return html`<div class="mark" aria-hidden="true">${initialOf(name)}${picture}</div>`
}

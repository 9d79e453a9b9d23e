import { html, type Html } from '../../../http/html.ts'
import type { Call } from '../page-types.ts'

/** Of most lists. Rows that are taller have a number of their own. */
export const ROWS_PER_PAGE = 25

/** Links to the next page of a list, and back to the first. @param cursor of the next page */
export function pager(
  { texts, to, query }: Pick<Call, 'texts' | 'to' | 'query'>,
  path: string,
  cursor: string | undefined,
): Html | undefined {
  if (cursor === undefined && query['cursor'] === undefined) return undefined
  const others = { ...query, done: undefined }
  return html`<p class="line">
    ${query['cursor'] !== undefined && html`<a href="${to(path, { ...others, cursor: undefined })}">${texts.html('firstPageLink')}</a>`}
    ${cursor !== undefined && html`<a href="${to(path, { ...others, cursor })}" rel="next">${texts.html('nextPageLink')}</a>`}
  </p>`
}

import { html, type Html } from '../../../http/html.ts'
import type { Call } from '../page-types.ts'

/** The maximum number of rows of a list on one page of the console. Only “Connected applications” has another number. */
export const ROWS_PER_PAGE = 25

/** The links to the next page of a list, and back to the first. @param cursor the cursor of the next page */
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

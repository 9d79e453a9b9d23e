import type { Store } from './contract.ts'

/** All members of an index after `after`, in their order, at most `limit` at once. */
export async function* pagesOf(
  store: Pick<Store, 'range'>,
  index: string,
  { after, limit = 1000 }: { after?: string | undefined; limit?: number } = {},
): AsyncGenerator<readonly string[]> {
  for (let last = after, isOver = false; !isOver;) {
    const page = await store.range(index, { after: last, limit })
    yield page
    last = page.at(-1)
    isOver = page.length < limit
  }
}

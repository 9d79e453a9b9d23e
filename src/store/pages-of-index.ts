import type { Store } from './contract.ts'

/** A store, or the buckets of an index that are read as one (`openBuckets`). */
export type IndexReader = Pick<Store, 'range'>

export interface Part {
  readonly after?: string | undefined
  /** Members at once, 1 to 1000. */
  readonly limit?: number | undefined
  /** Only members that begin with this text, which follow one another. */
  readonly prefix?: string | undefined
}

const MAX_PAGE = 1000

export async function readMembers(
  reader: IndexReader,
  index: string,
  { prefix = '', after = prefix || undefined, limit = MAX_PAGE }: Part = {},
): Promise<string[]> {
  const members = await reader.range(index, { after, limit })
  return prefix === '' ? members : members.filter((member) => member.startsWith(prefix))
}

/** All members after `after`, in their order, at most `limit` at once. The last page may be empty. */
export async function* pagesOf(
  reader: IndexReader,
  index: string,
  { limit = MAX_PAGE, ...part }: Part = {},
): AsyncGenerator<string[]> {
  let page: string[] | undefined
  do {
    page = await readMembers(reader, index, { ...part, limit, ...(page && { after: page.at(-1) }) })
    yield page
  } while (page.length === limit)
}

export async function membersOf(reader: IndexReader, index: string, part?: Part): Promise<string[]> {
  const members: string[] = []
  for await (const page of pagesOf(reader, index, part)) members.push(...page)
  return members
}

/** At most `max` members are counted. */
export async function countMembers(reader: IndexReader, index: string, max: number): Promise<number> {
  let count = 0
  for await (const page of pagesOf(reader, index, { limit: Math.min(MAX_PAGE, max) })) {
    count += page.length
    if (count >= max) return max
  }
  return count
}

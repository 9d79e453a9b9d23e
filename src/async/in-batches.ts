/** Calls `work` for each item, for at most `size` at the same time. @returns the results, in the order of the items */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += size) {
    results.push(...(await Promise.all(items.slice(at, at + size).map((item) => work(item)))))
  }
  return results
}

const PARALLEL = 200

/** Calls `work` with 0 to `count` − 1, up to 200 calls at once. @returns the results in order */
export async function forEach<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const index = next
      next += 1
      results[index] = await work(index)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return results
}

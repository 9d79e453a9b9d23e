/**
 * Waits for something, but not for long.
 *
 * @returns whether it succeeded in time; it goes on where it did not
 */
export async function soon(work: () => Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false).unref()
  })
  const inTime = work().then(
    () => true,
    () => false,
  )
  return Promise.race([inTime, tooLate]).finally(() => clearTimeout(timer))
}

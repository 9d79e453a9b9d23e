/** The example cannot start, for a reason that the person in front of it can remove; said in one line. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

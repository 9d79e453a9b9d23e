/** The example cannot start, for a reason that its operator can remove. The message is one line. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

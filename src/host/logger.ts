/**
 * The log for operators. It has the shape of pino's logger, so that pino, bunyan and most other loggers fit
 * unchanged. Neither `details` nor `message` ever contains a token, a secret or a key.
 */
export interface Logger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
}

/** Returns a function that is true for a new text, for up to 100 different texts: each is then logged once. */
export function firstTimes(): (text: string) => boolean {
  const seen = new Set<string>()
  return (text) => seen.size < 100 && seen.size < seen.add(text).size
}

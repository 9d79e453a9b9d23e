/**
 * Where koa-gatehouse writes what an operator should know: the shape of pino's logger, so that pino, bunyan
 * and most others fit as they are. Neither the object nor the text ever holds a token, a secret or a key.
 */
export interface Logger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
}

import type { TextName } from './texts.ts'

/** The errors of the console itself: HTTP status, and the texts that say it. */
const ERRORS = {
  notFound: [404, 'errorNotFoundTitle', 'errorNotFound'],
  forbidden: [403, 'errorForbiddenTitle', 'errorForbidden'],
  form: [403, 'errorFormTitle', 'errorForm'],
  body: [400, 'errorFormTitle', 'errorForm'],
  signIn: [401, 'errorSignInTitle', 'errorSignIn'],
  method: [405, 'errorNotFoundTitle', 'errorMethod'],
  repeated: [409, 'errorFormTitle', 'errorRepeated'],
  inProgress: [409, 'errorBusyTitle', 'errorInProgress'],
  busy: [503, 'errorBusyTitle', 'errorBusy'],
  internal: [500, 'errorInternalTitle', 'errorInternal'],
} as const satisfies Record<string, readonly [number, TextName, TextName]>

/** The name of an error of the console. */
export type ConsoleErrorName = keyof typeof ERRORS

/** A request that the console rejects. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly reason: ConsoleErrorName
  readonly status: number
  readonly title: TextName
  readonly text: TextName

  /** @param status HTTP status. @default that of the reason */
  constructor(reason: ConsoleErrorName, status?: number) {
    super(reason)
    const [usual, title, text] = ERRORS[reason]
    this.reason = reason
    this.status = status ?? usual
    this.title = title
    this.text = text
  }
}

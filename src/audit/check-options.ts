import { mayBeClientId } from '../validation/document-id.ts'
import { createCursors } from '../store/cursor.ts'
import { checkInput, must, objectOf, oneOf, optional, textRule, wholeNumber } from '../validation/rules.ts'
import { GatehouseError } from '../errors.ts'
import { pageLimitRule } from '../validation/page-limit.ts'
import { LISTED } from './writer.ts'

export type TrailName = 'changes' | 'failures'

/** Selects the entries to list. Pass at most one of `accountId`, `clientId`, `actor` and `documentHost`. */
export interface AuditListOptions {
  /** Only the entries of this account. */
  readonly accountId?: string | undefined
  /** Only the entries of this API key or application. */
  readonly clientId?: string | undefined
  /** Only the entries of acts that this actor requested. */
  readonly actor?: string | undefined
  /** Only the entries about this host of client metadata documents and about its applications, such as `claude.ai`. */
  readonly documentHost?: string | undefined
  /** `failures` lists what strangers tried. @default 'changes' */
  readonly trail?: TrailName | undefined
  /** The `cursor` of the previous page. @default the newest entries are listed */
  readonly cursor?: string | undefined
  /** Maximum number of entries, 1 to 500. @default 50 */
  readonly limit?: number | undefined
}

/** Selects the entries to read. */
export interface AuditReadOptions {
  /** The cursor of the last entry that was processed. @default the oldest entry is read first */
  readonly since?: string | undefined
  /** `failures` reads what strangers tried. @default 'changes' */
  readonly trail?: TrailName | undefined
  /** When this signal is aborted, the iteration rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

const trailRule = optional(oneOf('changes', 'failures'))

/** The place of an entry: the number of its chunk, and its index in the chunk. */
export const CURSORS = createCursors(
  objectOf({
    number: wholeNumber(0, 999_999_999_999),
    index: wholeNumber(0, 999_999),
    id: must<string>('an id', (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value)),
  }),
)

const cursorRule = CURSORS.rule('a `cursor` of the audit trail')

const LIST_FIELDS = {
  accountId: optional(textRule),
  // Any id that a token request can contain is valid.
  clientId: optional(
    must(
      'the id of a client: 1 to 256 printable ASCII characters, or the address of a client metadata document',
      mayBeClientId,
    ),
  ),
  actor: optional(textRule),
  documentHost: optional(textRule),
  trail: trailRule,
  cursor: optional(cursorRule),
  limit: pageLimitRule,
}

/** Which filters a list of entries may have: at most one. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export function checkList(options: AuditListOptions): void {
  checkInput('the audit trail cannot be listed', options, LIST_FIELDS)
  if (LISTED.filter((field) => options[field] !== undefined).length > 1) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', `pass at most one of ${LISTED.join(', ')}`)
  }
}

export function checkRead(options: AuditReadOptions): void {
  const signal = optional(must('an AbortSignal', (value) => value instanceof AbortSignal))
  checkInput('the audit trail cannot be read', options, {
    since: optional(cursorRule),
    trail: trailRule,
    signal,
  })
}

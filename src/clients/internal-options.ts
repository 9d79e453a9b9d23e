import type { ClientRecord } from './client-record.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import type { RepeatableSecret } from './secret-rotation.ts'

/**
 * The option with a function that throws if a change must not be made. It is called with the record in the
 * store, within the same compare-and-swap that makes the change. The symbol is not exported from the package,
 * so only this library can set the option.
 */
export const PRECONDITION = Symbol('precondition')

/** Options of a change that is made only if a precondition holds. */
export interface ConditionalChange extends ChangeOptions {
  readonly [PRECONDITION]?: ((record: Pick<ClientRecord, 'client'>) => void) | undefined
}

/** @throws what the precondition of the options throws */
export function requirePrecondition(
  options: ConditionalChange | undefined,
  record: Pick<ClientRecord, 'client'>,
): void {
  options?.[PRECONDITION]?.(record)
}

/** The option with the secret that `rotateSecret` sets. Only this library can set the option. */
export const NEW_SECRET = Symbol('new secret')

/** Options of a secret rotation that can be repeated. */
export interface RepeatableRotation extends ChangeOptions {
  readonly [NEW_SECRET]?: RepeatableSecret | undefined
}

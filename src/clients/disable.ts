import { GatehouseError } from '../errors.ts'
import type { Client } from './client.ts'

/** Who disables or enables a client. */
export type DisabledBy = 'owner' | 'operator'

/** The client after it was disabled. After an operator, a call by the owner changes nothing. */
export function disable<C extends Client>(client: C, by: DisabledBy): C | undefined {
  if (by === 'owner') return client.disabled ? undefined : { ...client, disabled: true }
  const isDone = client.disabled && client.disabledBy === 'operator'
  return isDone ? undefined : { ...client, disabled: true, disabledBy: 'operator' }
}

/** The client after it was enabled. @throws {GatehouseError} `ERR_DISABLED_BY_OPERATOR` */
export function enable<C extends Client>(client: C, by: DisabledBy): C | undefined {
  if (!client.disabled) return undefined
  if (client.disabledBy === 'operator' && by !== 'operator') {
    throw new GatehouseError(
      'ERR_DISABLED_BY_OPERATOR',
      'an operator disabled this client, so only an operator may enable it',
    )
  }
  const { disabledBy: _, ...others } = client
  return { ...others, disabled: false } as C
}

import { GatehouseError } from '../errors.ts'
import { isClientId } from './client-id.ts'
import { looksLikeSecret } from './secrets.ts'

/**
 * The error (`ERR_NOT_FOUND`) for a client id that no client has.
 *
 * @param what kind of client was requested: an API key, an application, or either
 * @param clientId any input, possibly a secret. The message quotes the input only if it can be a client id
 */
export function clientNotFound(what: string, clientId: string): GatehouseError {
  const which = isClientId(clientId) && !looksLikeSecret(clientId) ? ` "${clientId}"` : ' with that client id'
  return new GatehouseError('ERR_NOT_FOUND', `there is no ${what}${which}`)
}

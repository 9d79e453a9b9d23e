import { GatehouseError } from '../errors.ts'
import { isClientId } from './client-id.ts'
import { looksLikeSecret } from './secrets.ts'

/**
 * The error (`ERR_NOT_FOUND`) for a client id that no client has.
 *
 * @param what the requested kind of client in words, for the message: `API key`, `application`, or `API key
 *   or application`
 * @param clientId any input, possibly a secret. The message quotes the input only if it is a valid client id
 *   and does not look like a secret
 */
export function clientNotFound(what: string, clientId: string): GatehouseError {
  const which = isClientId(clientId) && !looksLikeSecret(clientId) ? ` "${clientId}"` : ' with that client id'
  return new GatehouseError('ERR_NOT_FOUND', `there is no ${what}${which}`)
}

import { GatehouseError } from '../errors.ts'
import { isClientId } from './client-id.ts'
import { looksLikeSecret } from './secrets.ts'

/**
 * The refusal (`ERR_NOT_FOUND`) of a client id that no client has.
 *
 * @param what was looked for: an API key, an application, either
 * @param clientId what came in for an id may be anything, a secret too: only what can be an id is repeated
 */
export function clientNotFound(what: string, clientId: string): GatehouseError {
  const which = isClientId(clientId) && !looksLikeSecret(clientId) ? ` "${clientId}"` : ' with that client id'
  return new GatehouseError('ERR_NOT_FOUND', `there is no ${what}${which}`)
}

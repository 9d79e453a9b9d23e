import type { Client } from '../clients/client.ts'

/** A client with a valid secret that was shown to people who have left the account. */
export interface ExposedSecret {
  readonly kind: Client['kind']
  readonly clientId: string
  readonly name: string
  /** The users who know the secret, and whom the host does not find in the account any more. */
  readonly userIds: readonly string[]
}

/**
 * The clients of an account whose secrets must be rotated. A client that belongs to a user who has left gets no tokens, so it is
 * left out until it is handed over.
 *
 * @param missing the users whom the host does not find, of those that `usersToFind` names
 */
export function exposedSecrets(clients: readonly Client[], missing: readonly string[]): ExposedSecret[] {
  return clients.flatMap(({ kind, clientId, name, userId: owner, secretShownTo = [] }) => {
    if (owner !== undefined && missing.includes(owner)) return []
    const userIds = secretShownTo.filter((userId) => missing.includes(userId))
    return userIds.length === 0 ? [] : [{ kind, clientId, name, userIds }]
  })
}

/** Every user to whom one of these clients belongs, or a secret of it was shown, once. */
export function usersToFind(clients: readonly Client[]): string[] {
  return [
    ...new Set(clients.flatMap(({ userId, secretShownTo = [] }) => [...secretShownTo, userId ?? []].flat())),
  ]
}

import type { Client } from '../clients/client.ts'

/** A client with a valid secret that was shown to people who have left the account. */
export interface ExposedSecret {
  readonly kind: Client['kind']
  readonly clientId: string
  readonly name: string
  /** The users who know the secret, although the host no longer finds these users in the account. */
  readonly userIds: readonly string[]
}

/**
 * The clients whose secrets must be rotated. If the owner of a client has left (`missing`), the client gets
 * no tokens, so it is omitted until it is handed over.
 */
export function exposedSecrets(clients: readonly Client[], missing: readonly string[]): ExposedSecret[] {
  return clients.flatMap(({ kind, clientId, name, userId: owner, secretShownTo = [] }) => {
    if (owner !== undefined && missing.includes(owner)) return []
    const userIds = secretShownTo.filter((userId) => missing.includes(userId))
    return userIds.length === 0 ? [] : [{ kind, clientId, name, userIds }]
  })
}

/** The owners of these clients, and the users to whom a secret was shown. No user is listed twice. */
export function usersToFind(clients: readonly Client[]): string[] {
  return [
    ...new Set(clients.flatMap(({ userId, secretShownTo = [] }) => [...secretShownTo, userId ?? []].flat())),
  ]
}

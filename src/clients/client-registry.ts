import type { Client } from './client.ts'

/** The clients that the authorization server reads, from the store or from the host. */
export interface ClientRegistry<C extends Client = Client> {
  /** The client of exactly this id, or undefined. Returns disabled clients too. */
  find(clientId: string): Promise<C | undefined>
  /** Whether `secret` is a current secret of `client`, which is a result of `find`. */
  verifySecret(client: C, secret: string): Promise<boolean>
}

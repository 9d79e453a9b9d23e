import { randomBytes } from 'node:crypto'
import { findSecretOf, type StoredClient } from '../../src/clients/client-registry.ts'
import { formatSecret } from '../../src/clients/secret-format.ts'

/** A new secret with the default prefix. */
export const newSecret = () => formatSecret(randomBytes(32), 'gatehouse_')

/** Whether a client of a registry has a secret. */
export const hasSecret = (client: StoredClient, secret: string) =>
  findSecretOf(client, [secret]) !== undefined

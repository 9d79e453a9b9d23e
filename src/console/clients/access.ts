import type { Catalog } from '../../catalog/catalog.ts'
import type { createMissingFor } from '../../clients/access-preview.ts'
import type { Client } from '../../clients/client.ts'

/** A client with what decides which operations it may use. */
export interface ClientAccess {
  readonly catalog: Catalog
  readonly client: Client
  /** KYC level of the account; undefined counts as the lowest level. */
  readonly kycLevel: string | undefined
  /** What the client lacks to call an operation. */
  readonly missingFor: ReturnType<typeof createMissingFor>
  /** Whether the caller may change the client. */
  readonly mayWrite: boolean
}

import type * as v from 'valibot'
import type { Client } from '../clients/client.ts'
import type { ClientService } from '../clients/client-service-types.ts'
import type { createAccessPreview } from './catalog-routes.ts'
import type { Repeatable } from '../clients/repeatable/idempotency.ts'
import type { CreatedClient, DerivedCredentials } from '../clients/repeatable/repeatable-changes.ts'
import type { Call } from './route.ts'

/** What differs between the routes of API keys and those of applications. */
export interface ClientRoutesOptions<C extends Client, New, Changes extends { name?: string | undefined }> {
  readonly service: ClientService<C, string, string, Changes>
  /** The path of the list. */
  readonly base: '/api-keys' | '/applications'
  readonly permissions: 'keys' | 'applications'
  /** The kind in words, for summaries and messages. */
  readonly noun: 'API key' | 'application'
  /** The kind in names of operations and schemas. */
  readonly name: 'ApiKey' | 'Application'
  readonly newClient: v.GenericSchema<unknown, New>
  readonly changes: v.GenericSchema<unknown, Changes>
  /**
   * Creates a client for the caller.
   *
   * @param derived the client id and the hash of the secret; undefined for random ones
   */
  create(call: Call<New>, derived?: DerivedCredentials): Promise<CreatedClient<C>>
  readonly repeatable: Repeatable
  readonly previewAccess: ReturnType<typeof createAccessPreview>
}

import type { Account } from '../../host/accounts.ts'
import type { Application, Client } from '../client.ts'

export interface DocumentFacts {
  /** The only thing about the client that is proven. */
  readonly host: string
  readonly isVerified: boolean
  /** The policy covers the documents of every host: the operator did not name this one. */
  readonly isOfAnyHost: boolean
  /** In place of the level of a developer. */
  readonly kycLevel: string | undefined
  /** Changes with the name, redirect URIs, keys or kind of authentication. */
  readonly version: string
  readonly isApproved: boolean
  /** How often the host was blocked. */
  readonly epoch: number
}

/** Its fields come from a client metadata document. It has no account: `accountId` is empty. */
export interface DocumentApplication extends Application {
  readonly document: DocumentFacts
}

export function documentOf(client: Client): DocumentFacts | undefined {
  return 'document' in client ? (client as DocumentApplication).document : undefined
}

/** Finds whose KYC level bounds a client: its owner's, or that of the policy for its document. */
export async function developerOf(
  client: Client,
  findOwner: (client: Client) => Promise<Account | undefined> | Account | undefined,
): Promise<Account | undefined> {
  const document = documentOf(client)
  if (!document) return findOwner(client)
  const { host: id, kycLevel } = document
  return kycLevel === undefined ? { id } : { id, kycLevel }
}

import type { Account } from '../../host/accounts.ts'
import type { Application, Client } from '../client.ts'

/** What is known about an application from its metadata document, beside its fields. */
export interface DocumentFacts {
  /** The host of the client id: the only thing about the client that is proven. */
  readonly host: string
  /** Whether the host of this service vouches for the name. */
  readonly isVerified: boolean
  /** Whether the operator did not name the host: the policy covers the documents of every host. */
  readonly isOfAnyHost: boolean
  /** The KYC level that takes the place of the level of a developer. */
  readonly kycLevel: string | undefined
  /** Changes with the name, the redirect URIs, the keys or the kind of authentication of the document. */
  readonly version: string
  /** Whether a person has approved the client. */
  readonly isApproved: boolean
  /** How often the host was blocked: the `epoch` of the client. */
  readonly epoch: number
}

/**
 * An application whose fields come from a client metadata document. It has no account: `accountId` is empty. Nothing about
 * it is stored as a client.
 */
export interface DocumentApplication extends Application {
  readonly document: DocumentFacts
}

/** The facts of a client that has a metadata document; undefined for every other client. */
export function documentOf(client: Client): DocumentFacts | undefined {
  return 'document' in client ? (client as DocumentApplication).document : undefined
}

/**
 * Finds whose KYC level bounds the operations of a client: its owner's, or the level of the policy for its metadata document.
 *
 * @param findOwner finds the account that owns the client
 */
export async function developerOf(
  client: Client,
  findOwner: (client: Client) => Promise<Account | undefined> | Account | undefined,
): Promise<Account | undefined> {
  const document = documentOf(client)
  if (!document) return findOwner(client)
  const { host: id, kycLevel } = document
  return kycLevel === undefined ? { id } : { id, kycLevel }
}

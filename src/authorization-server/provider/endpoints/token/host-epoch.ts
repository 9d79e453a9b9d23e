import { errors } from 'oidc-provider'
import type { Client } from '../../../../clients/client.ts'
import { documentOf } from '../../../../clients/documents/document-application.ts'
import type { GrantRecord } from '../../../../grants/grant-record.ts'

/**
 * Rejects the grant of a client with a metadata document whose host was blocked after the grant was made. The grants of a
 * blocked host are deleted in the background, so some may still exist when the host is unblocked.
 *
 * @param grant undefined if there is none
 * @throws invalid_grant
 */
export function requireSameHostEpoch(client: Client, grant: GrantRecord | undefined): void {
  const document = documentOf(client)
  if (!document || !grant || grant.versions?.host === String(document.epoch)) return
  throw new errors.InvalidGrant('grant not found')
}

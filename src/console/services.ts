import type { Tokens } from '../access/token-service.ts'
import type { AuditTrail } from '../audit/read-trail.ts'
import type { createConsentPreview } from '../authorization-server/interaction/consent-preview.ts'
import type { CurrentCatalog } from '../catalog/catalog.ts'
import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Connections } from '../grants/connections.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import type { Grants } from '../grants/grant-service.ts'
import type { Health } from '../health/health-report.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { RevocationSet } from '../revocation/is-revoked.ts'

/** The services that the pages of the console use. */
export interface ConsoleServices {
  readonly apiKeys: ApiKeys
  readonly applications: Applications
  /** Finds clients in the store, or in the tables of the host if the host manages them. */
  readonly registry: ClientRegistry
  /** Whether the host manages the clients. The console then has no pages that change them. */
  readonly grants: Grants
  readonly connections: Connections
  readonly tokens: Tokens
  readonly audit: Pick<AuditTrail, 'list'>
  readonly signingKeys: SigningKeys
  /** Verifies an access token of this service, without the revocations. */
  readonly verifyToken: VerifyToken
  /** The revocations that this process knows. */
  readonly revoked: Pick<RevocationSet, 'findCause' | 'isKeyRevoked'>
  readonly accounts: HostAccounts
  readonly catalog: CurrentCatalog
  /** {auth_url} */
  readonly issuer: string
  /** {base_url} */
  readonly audience: string
  readonly defaultLocale: string
  /** Writes the consent page of an application as the response. */
  readonly previewConsent: ReturnType<typeof createConsentPreview>
  health(): Promise<Health>
}

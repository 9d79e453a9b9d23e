import type Keygrip from 'keygrip'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import type { Resources } from '../../catalog/resources.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import type { AuditWriter } from '../../audit/audit.ts'
import type { Commits } from '../../commit/commit.ts'
import type { EventSink } from '../../host/events.ts'
import type { ProxyCheck } from '../../health/proxy-check.ts'
import type { Logger } from '../../host/logger.ts'
import type { SigningJwk } from '../../keys/generate-key.ts'
import type { ClientRegistry } from '../../clients/client-registry.ts'
import type { Client } from '../../clients/client.ts'
import type { UsedCredential } from '../../clients/stored-secrets.ts'
import type { Store } from '../../store/contract.ts'
import type { GrantLifecycle } from '../../grants/grant-lifecycle.ts'
import type { createLimitGrants } from '../../grants/max-grants.ts'
import type { RevokeKeepingConsent } from '../../grants/revoke-grants.ts'
import type { TokenFamilies } from '../../grants/refresh-tokens/token-families.ts'
import type { RefreshTokenFormat } from '../../grants/refresh-tokens/token-format.ts'
import type { RevokeOwnToken } from '../../access/revoke-own-token.ts'
import type { MemoryWatch } from '../../store/memory-watch.ts'
import type { PendingInteractions } from './endpoints/authorize/pending-interactions.ts'
import type { ConsentStore } from '../../grants/consent-store.ts'
import type { Principal } from '../../gateway/principal.ts'
import type { Pages } from '../interaction/pages.ts'
import type { Collection } from '../../store/collection.ts'
import type { AccountLookup } from './account-lookup.ts'
import type { Features } from './features/load-features.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { AdapterPayload } from 'oidc-provider'
import type { WrongSecretLimit } from './wrong-secrets.ts'

export interface ProviderSettings {
  readonly issuer: string
  /** The secrets of the host, newest first. */
  readonly secrets: readonly string[]
  readonly requirePkce: boolean
  /** OpenID Connect scopes besides `openid`, with the claims that each scope gives. */
  readonly claims: { readonly [scope: string]: readonly string[] }
  readonly claimsInIdToken: boolean
  readonly openIdScopes: readonly string[]
  readonly namesUsers: boolean
  readonly lifetimes: Lifetimes
  /** Seconds for which a public application may repeat a refresh. */
  readonly publicGraceSeconds: number
  /** Whether there may be public applications among the registered ones. */
  readonly publicApplications: boolean
  readonly privateKeyJwt: boolean
  /** Whether clients without a secret and without a key may authenticate. */
  readonly publicClients: boolean
  readonly secretPrefix: string
}

/** What both oidc-provider and our own endpoints use. */
export interface SharedDependencies {
  readonly settings: ProviderSettings
  readonly store: Store
  /** All products, also those of other resources. */
  readonly catalog: CurrentCatalog
  readonly resources: Resources
  readonly registry: ClientRegistry
  readonly accounts: HostAccounts
  readonly consents: ConsentStore
  /** Called each time the client obtains a token. */
  clientUsed(client: Client, secret?: UsedCredential): void
  /** Called outside of a token request. */
  secretUsed(client: Client, secret: UsedCredential): void
  readonly memory: MemoryWatch
  readonly pages: Pages
  readonly events: EventSink
  readonly audit: AuditWriter
  readonly commits: Commits
  readonly logger: Logger
  readonly proxyCheck: ProxyCheck
  readonly wrongSecrets: WrongSecretLimit
}

export interface ProviderDependencies extends SharedDependencies {
  /** Its writes survive the loss of a server. */
  readonly durable: Store
  readonly features: Features
  readonly families: TokenFamilies
  readonly grantLifecycle: GrantLifecycle
  readonly refreshTokenFormat: RefreshTokenFormat
  readonly signingKeys: readonly SigningJwk[]
  readonly cookieKeys: Keygrip
  /** Returns undefined for a token that is not ours or has expired. Does not check whether the token is revoked. */
  verifyAccessToken(jwt: string): Promise<Principal | undefined>
  readonly revokeOwnToken: RevokeOwnToken
  isTokenRevoked(token: Principal): boolean
  /** Whether a token with this scope would be rejected if issued for the grant `now`, in epoch seconds. No I/O. */
  isGrantScopeRevoked(grantId: string, scope: string, now: number): boolean
  readonly pendingInteractions: PendingInteractions
}

export interface ProviderParts extends ProviderDependencies {
  readonly accountLookup: AccountLookup
  readonly codes: Collection<AdapterPayload>
  readonly revokeGrant: RevokeKeepingConsent
  readonly limitGrants: ReturnType<typeof createLimitGrants>
}

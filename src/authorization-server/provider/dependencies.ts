import type { Context } from 'koa'
import type Keygrip from 'keygrip'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import type { SigningJwk } from '../../keys/generate-key.ts'
import type { ClientRegistry } from '../../clients/client-registry.ts'
import type { Client } from '../../clients/client.ts'
import type { Store } from '../../store/contract.ts'
import type { GrantLifecycle } from '../../grants/grant-lifecycle.ts'
import type { TokenFamilies } from '../../grants/refresh-tokens/token-families.ts'
import type { RefreshTokenFormat } from '../../grants/refresh-tokens/token-format.ts'
import type { RevocableToken } from '../../revocation/revocation.ts'
import type { Revocations } from '../../revocation/revoke-tokens.ts'
import type { InteractionAdmission } from './endpoints/authorize/interaction-admission.ts'
import type { ConsentStore } from '../../grants/consent-store.ts'

/** The settings that the authorization server uses. */
export interface ProviderSettings {
  readonly issuer: string
  readonly audience: string
  readonly requirePkce: boolean
  /** OpenID Connect scopes besides `openid`, with the claims that each gives. */
  readonly claims: { readonly [scope: string]: readonly string[] }
  /** `openid`, and the scopes that `claims` names. */
  readonly openIdScopes: readonly string[]
  /** In seconds. */
  readonly lifetimes: {
    readonly directAccessToken: number
    readonly delegatedAccessToken: number
    readonly refreshToken: number
    readonly authorizationCode: number
    readonly idToken: number
    readonly signIn: number
    readonly interaction: number
    readonly session: number
    readonly storedConsent: number
  }
}

/** A verified access token of ours. The gateway's principal matches this type. */
export interface VerifiedAccessToken extends RevocableToken {
  readonly mode: 'direct' | 'delegated'
  readonly accountId: string
  readonly userId?: string | undefined
  readonly expiresAt: number
  readonly claims: RevocableToken['claims'] & {
    readonly iat?: number | undefined
    readonly aud?: string | string[] | undefined
  }
}

/** The pages that the authorization server renders itself. */
export interface ProviderPages {
  /** Writes the page for an error that cannot be sent to the application. */
  renderError(ctx: Context, error: { status: number; error: string; description: string }): void
  /** Writes the page that asks whether to sign out. */
  renderSignOut(
    ctx: Context,
    form: {
      action: string
      xsrf: string
      redirectOrigin?: string | undefined
    },
  ): void
  /** Writes the page that confirms the sign-out. */
  renderSignedOut(ctx: Context): void
}

/** The dependencies of the authorization server. */
export interface ProviderDependencies {
  readonly settings: ProviderSettings
  readonly store: Store
  readonly catalog: CurrentCatalog
  readonly registry: ClientRegistry
  readonly accounts: HostAccounts
  readonly families: TokenFamilies
  readonly grantLifecycle: GrantLifecycle
  readonly consents: ConsentStore
  readonly refreshTokenFormat: RefreshTokenFormat
  /** One private key for ES256 and one for RS256. */
  readonly signingKeys: readonly SigningJwk[]
  readonly cookieKeys: Keygrip
  /** The access token if it is one of ours and has not expired, else undefined. It may have been revoked. */
  verifyAccessToken(jwt: string): Promise<VerifiedAccessToken | undefined>
  readonly revocations: Revocations
  /** Whether a verified access token was revoked. Reads memory only. */
  isTokenRevoked(token: RevocableToken): boolean
  /** Called for each client that obtained a token. */
  clientUsed(client: Client): void
  /** Decides which authorization requests may wait for a person. */
  readonly authorizeRequest: InteractionAdmission
  readonly pages: ProviderPages
  readonly events: EventSink
  readonly logger: Logger
}

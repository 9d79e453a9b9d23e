import type { ProductSource } from '../catalog/definition.ts'
import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Texts } from '../authorization-server/interaction/texts.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type {
  GatewayOptions,
  Lifetimes,
  RevocationOptions,
  RotationSchedule,
  SignInAttempts,
} from './options.ts'
import type { Registry } from '../clients/client.ts'
import type { Store } from '../store/contract.ts'

/** The checked and frozen options with all defaults: the result of `resolveSettings`. */
export interface Settings {
  readonly issuer: string
  readonly audience: string
  /** Newest first; at least one. */
  readonly secrets: readonly string[]
  readonly kycLevels: readonly string[]
  readonly products: ProductSource
  readonly store: Store
  readonly accounts: Accounts
  readonly registry: Registry | undefined
  /** Without a trailing slash; empty if the service is at the root. */
  readonly mountPath: string
  readonly lifetimes: { readonly [Name in keyof Lifetimes]-?: number }
  readonly requirePkce: boolean
  readonly refreshTokenGraceSeconds: number
  readonly revocations: { readonly [Name in keyof RevocationOptions]-?: NonNullable<RevocationOptions[Name]> }
  readonly signingKeys:
    | Required<{ readonly [Name in keyof RotationSchedule]: number }>
    | { readonly jwks: { readonly keys: readonly SigningJwk[] } }
  readonly maxScopeBytes: number
  readonly storeTimeoutMs: number
  readonly productsTimeoutMs: number
  readonly startTimeoutMs: number
  readonly tokenCacheBytes: number
  readonly signInAttempts: { readonly [Name in keyof SignInAttempts]-?: number }
  readonly maxPendingInteractions: number
  readonly claims: { readonly [scope: string]: readonly string[] }
  /** The scopes of OpenID Connect: `openid`, and those that `claims` names. */
  readonly openIdScopes: readonly string[]
  readonly branding: {
    readonly name: string
    readonly logo: string | undefined
    readonly accentColor: string
  }
  readonly texts: { readonly [locale: string]: Partial<Texts> }
  readonly defaultLocale: string
  readonly logger: Logger
}

/** The checked and frozen options of `createGateway` with all defaults. */
export type GatewaySettings = {
  readonly [Name in Exclude<keyof GatewayOptions, 'revocations'>]-?: Exclude<GatewayOptions[Name], undefined>
} & {
  readonly revocations: (Settings['revocations'] & FeedSettings) | undefined
}

/** The source of revocations with all defaults. */
export type FeedSettings = { readonly timeoutMs: number } & (
  | { readonly store: Store }
  | { readonly clientId: string; readonly clientSecret: string; readonly uri: string }
)

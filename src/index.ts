export { createGatehouse, type Gatehouse } from './gatehouse.ts'
export type {
  Branding,
  GatehouseOptions,
  HostKeys,
  Lifetimes,
  RevocationOptions,
  RotationSchedule,
  SignInAttempts,
} from './options.ts'
export type { ProductOf, ScopeOf } from './infer.ts'
export { GatehouseError, type GatehouseErrorCode, type Problem } from './errors.ts'
export type {
  HttpMethod,
  LocalizedText,
  OperationDefinition,
  ProductDefinition,
  ProductDefinitions,
  ProductSource,
  RouteDefinition,
} from './catalog/definition.ts'
export type { Account, Accounts, SignedIn } from './host/accounts.ts'
export type { GatehouseEvents } from './host/events.ts'
export type { Health, HealthCheck, RevocationHealth } from './health/health.ts'
export type { Logger } from './host/logger.ts'
export type { SigningKeyInfo, SigningKeys } from './keys/signing-keys.ts'
export type { Texts } from './interaction/texts.ts'
export type { ImportedRegistry, ImportOptions } from './moving/import-registry.ts'
export type {
  ApiKey,
  Application,
  Client,
  HostApiKey,
  HostApplication,
  HostClient,
  Registry,
} from './registry/client.ts'
export type { ApiKeys, NewApiKey } from './registry/api-keys.ts'
export type { Applications, NewApplication } from './registry/applications.ts'
export type { ClientPage } from './registry/client-index.ts'
export type { ListOptions } from './store/listed-by-time.ts'
export type { ChangeOptions, RotatedSecret, RotationOptions, SecretInfo } from './registry/client-service.ts'
export { hashSecret } from './registry/secrets.ts'
export type { AccountChanges } from './taking-back/accounts.ts'
export type { GrantHolder, Grants } from './taking-back/grants.ts'
export type { TokenOwner, Tokens } from './taking-back/tokens.ts'
export type { RevokedAccess } from './taking-back/tokens-of-account.ts'
export type { Grant, GrantPage } from './tokens/grants/grant.ts'
export type {
  Authenticated,
  Authentication,
  AuthenticateOptions,
  IncomingCall,
} from './gateway/authenticate.ts'
export type { GatewayEvents } from './gateway/dependencies.ts'
export type { Gateway } from './gateway/gateway.ts'
export type { GatewayMiddlewareOptions } from './gateway/guard.ts'
export type { GatewayHealth } from './gateway/health.ts'
export type { Principal } from './gateway/principal.ts'
export type { PublicRoute } from './gateway/open-routes.ts'
export type { Refusal } from './gateway/refusal.ts'
export type { Store, StoreCheck, StoreInspection } from './store/contract.ts'

export { createGatehouse } from './gatehouse/create-gatehouse.ts'
export { selectByHost } from './gateway/select-by-host.ts'
export type { AnyGatehouse, Gatehouse, GatehouseGateway } from './gatehouse/gatehouse.ts'
export type {
  Branding,
  GatehouseOptions,
  HostKeys,
  Lifetimes,
  RevocationOptions,
  RotationSchedule,
} from './options/options.ts'
export type { ProductOf, ScopeOf } from './options/infer-scopes.ts'
export { GatehouseError, type GatehouseErrorCode, type Problem, type ProblemCode } from './errors.ts'
export type {
  HttpMethod,
  LocalizedText,
  OperationDefinition,
  ProductDefinition,
  ProductDefinitions,
  ProductSource,
  RouteDefinition,
} from './catalog/definition.ts'
export type {
  Account,
  Accounts,
  Confirmation,
  ConfirmedPermission,
  FoundAccount,
  Permission,
  PermissionTarget,
  SignedIn,
} from './host/accounts.ts'
export type { ChangeOptions, LeakOptions } from './host/change-options.ts'
export type { AuditOptions } from './audit/retention.ts'
export type { AuditEntry } from './audit/entry.ts'
export type { AuditReason } from './host/audit-reason.ts'
export type { AuditListOptions, AuditReadOptions } from './audit/check-options.ts'
export type { AuditPage, AuditRecord, AuditTrail } from './audit/read-trail.ts'
export type { GatehouseEvents } from './host/events.ts'
export type { Health, HealthCheck, RevocationHealth } from './health/health-report.ts'
export type { PageText, PluralText } from './http/pages/texts.ts'
export type { Logger } from './host/logger.ts'
export type { WebServer } from './host/open-connections.ts'
export type { ShutdownOptions } from './host/shutdown.ts'
export type { SigningKeyInfo, SigningKeys } from './keys/signing-keys.ts'
export type { Texts } from './authorization-server/interaction/texts.ts'
export type { ApiKey, Application, Client, NewApiKey, NewApplication } from './clients/client.ts'
export type { ApplicationChanges, ClientChanges } from './clients/client.ts'
export type { ApiKeys, ResourceServerOptions } from './clients/api-keys.ts'
export type { Applications } from './clients/applications.ts'
export type { BlockedHost, ClientDocument, ClientDocuments } from './clients/documents/document-service.ts'
export type { DocumentPolicy } from './clients/documents/document-policy.ts'
export type { ClientPage } from './clients/client-index.ts'
export type { Finding } from './clients/hygiene-findings.ts'
export type { ClientFindings, Hygiene, HygieneOptions, HygienePage } from './clients/hygiene.ts'
export type { FoundSecret, Secrets } from './clients/leaked-secrets.ts'
export type { ListOptions } from './store/time-index.ts'
export type {
  AddProductOptions,
  DisableOptions,
  HandOverOptions,
  RotatedSecret,
  RotationOptions,
  ListOrder,
  OwnerListOptions,
} from './clients/client-service-types.ts'
export { isSecret } from './clients/secret-format.ts'
export { hashSecret, type SecretInfo } from './clients/stored-secrets.ts'
export type { ErasedRecords, PersonToErase } from './access/erase-person.ts'
export type { NoTokenReason } from './clients/why-no-token.ts'
export type { AccountChanges, AccountService } from './access/account-changes.ts'
export type { ExposedSecret } from './access/account-changes.ts'
export type { GrantHolder, Grants } from './grants/grant-service.ts'
export type { TokenOwner, Tokens } from './access/token-service.ts'
export type { RevokedAccess } from './access/revoke-account.ts'
export type { Grant, GrantPage } from './grants/grant.ts'
export type {
  Authenticated,
  Authentication,
  AuthenticateOptions,
  CallWithMethod,
  IncomingCall,
} from './gateway/authenticate.ts'
export type { GatewayEvents } from './gateway/dependencies.ts'
export type { Gateway } from './gateway/gateway.ts'
export type { ResourceOptions } from './catalog/resources.ts'
export type { GatewayMiddlewareOptions } from './gateway/guard.ts'
export type { Principal } from './gateway/principal.ts'
export type { PublicRoute } from './gateway/open-routes.ts'
export type { TokenEnd } from './gateway/token-watch.ts'
export type { ErrorResponse } from './gateway/error-responses.ts'
export type { Store, StoreCheck, StoreInspection } from './store/contract.ts'

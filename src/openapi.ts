export { findApiDrift, type ApiDrift, type ApiDriftOptions } from './openapi/api-drift.ts'
export { openApiOf, type OpenApiDocument, type OpenApiOptions } from './openapi/openapi-of.ts'
export type { RouterLike } from './openapi/operation-routes.ts'

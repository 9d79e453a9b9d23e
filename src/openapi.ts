export { findApiDrift, type ApiDrift, type ApiDriftOptions } from './parts/openapi/api-drift.ts'
export { openApiOf, type OpenApiDocument, type OpenApiOptions } from './parts/openapi/openapi-of.ts'
export type { RouterLike } from './parts/openapi/operation-routes.ts'

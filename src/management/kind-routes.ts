import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import { clientRoutes, type ClientRoutesOptions } from './client-routes.ts'
import type { Route } from './route.ts'
import { ApiKeyChanges, ApplicationChanges, NewApiKey, NewApplication } from './schemas.ts'

type Shared = Pick<ClientRoutesOptions<never, never, never>, 'previewAccess'>

/** The routes of the caller's API keys. */
export function apiKeyRoutes(service: ApiKeys, shared: Shared): Route[] {
  return clientRoutes({
    service,
    ...shared,
    base: '/api-keys',
    permissions: 'keys',
    name: 'ApiKey',
    newClient: NewApiKey,
    changes: ApiKeyChanges,
    async create(input, options) {
      const { apiKey, clientSecret } = await service.create(input, options)
      return { client: apiKey, clientSecret }
    },
  })
}

/** The routes of the caller's applications. */
export function applicationRoutes(service: Applications, shared: Shared): Route[] {
  return clientRoutes({
    service,
    ...shared,
    base: '/applications',
    permissions: 'applications',
    name: 'Application',
    newClient: NewApplication,
    changes: ApplicationChanges,
    async create(input, options) {
      const { application, clientSecret } = await service.create(input, options)
      return { client: application, clientSecret }
    },
  })
}

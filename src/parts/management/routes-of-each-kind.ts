import { apiKeyChanges, newApiKeyFields } from '../../clients/api-keys.ts'
import { applicationChanges, newApplicationFields } from '../../clients/applications.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { clientRoutes, type ClientRouteParts } from './client-routes.ts'
import type { Route } from './route.ts'
import { ApiKeyChanges, ApplicationChanges, NewApiKey, NewApplication } from './body-schemas.ts'

/** The routes of the caller's API keys. */
export function apiKeyRoutes({ apiKeys, catalog, keyPolicy }: Internals, parts: ClientRouteParts): Route[] {
  return clientRoutes({
    service: apiKeys,
    parts,
    kind: 'apiKey',
    base: '/api-keys',
    permissions: 'keys',
    name: 'ApiKey',
    newClient: NewApiKey,
    changes: ApiKeyChanges,
    rules: {
      newClient: (input) => newApiKeyFields(catalog.current, input, keyPolicy),
      changes: apiKeyChanges(keyPolicy),
    },
  })
}

/** The routes of the caller's applications. */
export function applicationRoutes(
  { applications, catalog, keyPolicy }: Internals,
  parts: ClientRouteParts,
): Route[] {
  return clientRoutes({
    service: applications,
    parts,
    kind: 'application',
    base: '/applications',
    permissions: 'applications',
    name: 'Application',
    newClient: NewApplication,
    changes: ApplicationChanges,
    rules: {
      newClient: (input) => newApplicationFields(catalog.current, input, keyPolicy),
      changes: applicationChanges(keyPolicy),
    },
  })
}

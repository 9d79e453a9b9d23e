import { apiKeyChanges, newApiKeyFields } from '../../clients/api-keys.ts'
import { applicationChanges, newApplicationFields } from '../../clients/applications.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { clientRoutes, type ClientRouteParts } from './client-routes.ts'
import { anyValue, type Fields } from '../../validation/rules.ts'
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
      newClient: (input) => withTimes(newApiKeyFields(catalog.current, input, keyPolicy)),
      changes: withTimes(apiKeyChanges(keyPolicy)),
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
      newClient: (input) => withTimes(newApplicationFields(catalog.current, input, keyPolicy)),
      changes: withTimes(applicationChanges(keyPolicy)),
    },
  })
}

/** The rules for a body whose times are ISO 8601. */
function withTimes({ expiresAt = anyValue, ...others }: Fields): Fields {
  const inSeconds = (value: unknown) =>
    typeof value === 'string' ? Math.floor(Date.parse(value) / 1000) : value
  return { ...others, expiresAt: (value) => expiresAt(inSeconds(value)) }
}

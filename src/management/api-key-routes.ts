import type { ApiKeys } from '../clients/api-keys.ts'
import { clientRoutes } from './client-routes.ts'
import type { Route } from './route.ts'
import { ApiKeyChanges, NewApiKey } from './schemas.ts'

/** The routes of the caller's API keys. */
export function apiKeyRoutes(service: ApiKeys): Route[] {
  return clientRoutes({
    service,
    base: '/api-keys',
    permissions: 'keys',
    noun: 'API key',
    name: 'ApiKey',
    newClient: NewApiKey,
    changes: ApiKeyChanges,
    async create({ caller: { accountId, userId }, body, change }) {
      const { apiKey, clientSecret } = await service.create({ ...body, accountId, userId, ...change })
      return { client: apiKey, clientSecret }
    },
  })
}

import type { ApiKeys } from '../clients/api-keys.ts'
import type { ClientRoutesOptions } from './client-routes-options.ts'
import { clientRoutes } from './client-routes.ts'
import type { Route } from './route.ts'
import { ApiKeyChanges, NewApiKey } from './schemas.ts'

/** The routes of the caller's API keys. */
export function apiKeyRoutes(
  service: ApiKeys,
  shared: Pick<ClientRoutesOptions<never, never, never>, 'repeatable' | 'previewAccess'>,
): Route[] {
  return clientRoutes({
    service,
    ...shared,
    base: '/api-keys',
    permissions: 'keys',
    noun: 'API key',
    name: 'ApiKey',
    newClient: NewApiKey,
    changes: ApiKeyChanges,
    async create({ caller: { accountId, userId }, body, change }, derived) {
      const input = { ...body, accountId, userId, ...change }
      const created = derived ? await service.create({ ...input, ...derived }) : await service.create(input)
      return { client: created.apiKey, clientSecret: created.clientSecret }
    },
  })
}

import type { Applications } from '../clients/applications.ts'
import { clientRoutes } from './client-routes.ts'
import type { Route } from './route.ts'
import { ApplicationChanges, NewApplication } from './schemas.ts'

/** The routes of the caller's applications. */
export function applicationRoutes(service: Applications): Route[] {
  return clientRoutes({
    service,
    base: '/applications',
    permissions: 'applications',
    noun: 'application',
    name: 'Application',
    newClient: NewApplication,
    changes: ApplicationChanges,
    async create({ caller: { accountId, userId }, body, change }) {
      const { application, clientSecret } = await service.create({ ...body, accountId, userId, ...change })
      return { client: application, clientSecret }
    },
  })
}

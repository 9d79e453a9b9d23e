import type { Applications } from '../clients/applications.ts'
import type { ClientRoutesOptions } from './client-routes-options.ts'
import { clientRoutes } from './client-routes.ts'
import type { Route } from './route.ts'
import { ApplicationChanges, NewApplication } from './schemas.ts'

/** The routes of the caller's applications. */
export function applicationRoutes(
  service: Applications,
  shared: Pick<ClientRoutesOptions<never, never, never>, 'repeatable' | 'previewAccess'>,
): Route[] {
  return clientRoutes({
    service,
    ...shared,
    base: '/applications',
    permissions: 'applications',
    noun: 'application',
    name: 'Application',
    newClient: NewApplication,
    changes: ApplicationChanges,
    async create({ caller: { accountId, userId }, body, change }, derived) {
      const input = { ...body, accountId, userId, ...change }
      const created = derived ? await service.create({ ...input, ...derived }) : await service.create(input)
      return { client: created.application, clientSecret: created.clientSecret }
    },
  })
}

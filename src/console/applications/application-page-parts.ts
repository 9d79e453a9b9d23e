import type { Application } from '../../clients/client.ts'
import type { Caller } from '../../front-door/enter.ts'
import { applicationKind, type ClientKind } from '../clients/client-kind.ts'
import type { ConsoleServices } from '../services.ts'

/** The services that the pages of one application use. */
export type ApplicationPageServices = Pick<
  ConsoleServices,
  'applications' | 'accounts' | 'catalog' | 'previewConsent'
>

/** What the pages of one application have in common. */
export interface ApplicationPageParts {
  readonly kind: ClientKind
  readonly services: ApplicationPageServices
  /**
   * Finds the caller's own application.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND`
   */
  find(caller: Caller, params: Readonly<Record<string, string>>): Promise<Application>
}

/** Creates what the pages of one application have in common. */
export function applicationPageParts(services: ApplicationPageServices): ApplicationPageParts {
  return {
    kind: applicationKind(services.applications),
    services,
    find: ({ accountId }, { clientId = '' }) => services.applications.findOwn(accountId, clientId),
  }
}

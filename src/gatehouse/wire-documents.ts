import type { ClientDocuments } from '../clients/documents/document-service.ts'
import { GatehouseError } from '../errors.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Authorizations } from './wire-grants.ts'

export type Documents = ReturnType<typeof createDocuments>

/** Wires the service of client metadata documents, which is loaded only with the option `clientDocuments`. */
export function createDocuments(
  core: Core,
  { lastUses }: Pick<Clients, 'lastUses'>,
  { grantsOfUsers }: Pick<Authorizations, 'grantsOfUsers'>,
) {
  const { settings, durable: store, revocations, events, audit, logger } = core
  const policies = settings.clientDocuments
  const revokeGrants = grantsOfUsers.revokeOfClient
  let loaded: ReturnType<typeof load> | undefined

  async function load() {
    const { createDocumentService } = await import('../clients/documents/document-service.ts')
    return createDocumentService({
      store,
      revocations,
      events,
      audit,
      logger,
      lastUses,
      policies,
      revokeGrants,
    })
  }

  async function service(): Promise<ClientDocuments> {
    if (policies.length > 0) return (await (loaded ??= load())).service
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'needs the option clientDocuments of createGatehouse')
  }

  const clientDocuments: ClientDocuments = {
    list: async (options) => (await service()).list(options),
    listBlocked: async () => (await service()).listBlocked(),
    block: async (host, options) => (await service()).block(host, options),
    unblock: async (host, options) => (await service()).unblock(host, options),
  }
  return {
    clientDocuments,
    /** Deletes the grants of blocked hosts in the background. @returns a function that stops this */
    async clearBlockedHosts(): Promise<() => void> {
      return policies.length > 0 ? (await (loaded ??= load())).start() : () => {}
    },
  }
}

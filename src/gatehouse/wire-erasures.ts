import { createErasePerson, type DocumentUsers } from '../access/erase-person.ts'
import { createErasures } from '../access/erasures.ts'
import { createSessionList } from '../access/session-list.ts'
import { createClientWalk } from '../clients/walk-clients.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Authorizations } from './wire-grants.ts'

/** The parts that erase people, and the hashes of the people who were erased. */
export type PersonalData = ReturnType<typeof createPersonalData>

/** Wires the parts that erase people. */
export function createPersonalData(core: Core, clients: Clients, authorizations: Authorizations) {
  const { settings, durable: store } = core
  const erasures = createErasures({ store, secrets: settings.secrets })
  const lists = { clientWalk: createClientWalk(store), sessionList: createSessionList(store) }
  // The option `clientDocuments` may have been removed, so the documents are read without it too.
  const load = () => import('../clients/documents/erase-users.ts')
  const documentUsers: DocumentUsers = {
    erase: async (...args) => (await load()).eraseDocumentUsers(store, ...args),
    eraseBlockers: async (people) => (await load()).eraseBlockers(store, people),
  }
  return {
    erasures,
    ...createErasePerson({ ...core, ...clients, ...authorizations, ...lists, documentUsers, erasures }),
  }
}

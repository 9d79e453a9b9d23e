import type { Catalog } from '../../../catalog/catalog.ts'
import { limitToPerson } from '../../../catalog/resolve-scopes.ts'
import type { Application } from '../../../clients/client.ts'
import { findApplications } from '../../../clients/client-registry.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Connection } from '../../../grants/connections.ts'
import type { Account } from '../../../host/accounts.ts'
import type { HostAccounts } from '../../../host/host-accounts.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import { emptyPanel, notice } from '../elements/elements.ts'
import { pager } from '../elements/pager.ts'
import { page, type Call, type Page, type View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { isDocumentId, mayBeClientId } from '../../../validation/document-id.ts'
import { connectionCard, nameOfUnknown, type ConnectionModel } from './connection-card.ts'

const PATH = '/connected-applications'

/** What a user has authorized, one card for each application, with the button that disconnects it. */
export function connectedPage(services: ConsoleServices): Page {
  return page({
    path: PATH,
    section: 'connected',
    access: 'authorizations:read',
    show: (call) => showConnections(services, call),
    actions: {
      disconnect: {
        access: 'authorizations:revoke',
        async confirm({ texts, query }) {
          const clientId = query['application'] ?? ''
          const application = (await findApplications(services.registry, [{ clientId }])).get(clientId)
          return {
            title: 'connectedConfirm',
            what: 'connectedConfirmWhat',
            button: 'connectedDisconnect',
            values: { name: application ? applicationName(application) : nameOfUnknown({ texts }, clientId) },
          }
        },
        async run({ form: sent, caller: { accountId, userId }, change }) {
          const clientId = sent.get('application') ?? ''
          if (!mayBeClientId(clientId)) {
            throw new GatehouseError('ERR_NOT_FOUND', 'the form names no application')
          }
          const holder = { accountId, clientId, ...(userId !== undefined && { userId }) }
          await services.grants.revokeAll(holder, change)
          return { redirect: PATH, query: { disconnected: clientId } }
        },
      },
    },
  })
}

async function showConnections(services: ConsoleServices, call: Call): Promise<View> {
  const { texts, to, caller, query } = call
  const [all, viewer] = await Promise.all([
    services.connections.list(caller),
    services.accounts.find(caller.accountId, caller.userId),
  ])
  const { items, cursor } = pageOfConnections(all, query['cursor'])
  // A crafted link cannot show a false notice.
  const gone = all.some(({ clientId }) => clientId === query['disconnected'])
    ? undefined
    : query['disconnected']
  const wanted = [...items, ...(gone === undefined ? [] : [{ clientId: gone }])]
  const applications = await findApplications(services.registry, wanted)
  const models = await withDevelopers(services.accounts, items, applications)
  const mayDisconnect = await call.may('authorizations:revoke')
  const isUsable = usableBy(viewer, services.catalog.current)
  const cards = models.map(({ connection, ...model }) => {
    const scopes = new Map([...connection.scopes].map(([resource, all]) => [resource, all.filter(isUsable)]))
    const usable = { ...model, connection: { ...connection, scopes } }
    return connectionCard(call, services, usable, mayDisconnect)
  })
  return {
    title: texts.plain('navConnected'),
    images: models.map(({ application }) => application?.logoUri),
    body: html`${gone !== undefined && disconnectedNotice(call, gone, applications.get(gone))}
      <div class="tight">
        <h1>${texts.html('navConnected')}</h1>
        ${all.length > 0 && html`<p class="muted">${texts.html('connectedIntro')}</p>`}
      </div>
      ${all.length === 0 ? emptyPanel(texts.html('connectedEmptyTitle'), texts.html('connectedEmpty')) : list(call, cards, all.length)}
      ${pager({ texts, to, query: { ...query, disconnected: undefined } }, PATH, cursor)}`,
  }
}

/** The host may have lowered the person's role after the consent. */
function usableBy(person: Account | undefined, { operations }: Catalog): (scope: string) => boolean {
  const allowed = new Set(limitToPerson(person ?? {}, [...operations.keys()]))
  return (scope) => !operations.has(scope) || allowed.has(scope)
}

function list({ texts }: Call, cards: readonly Html[], count: number): Html {
  return html`${count > cards.length && html`<p class="muted small">${texts.html('connectedCount', { count })}</p>`}
    <ul class="rows">
      ${cards}
    </ul>`
}

function disconnectedNotice({ texts }: Call, clientId: string, application: Application | undefined): Html {
  const isKnown = application !== undefined || isDocumentId(clientId)
  const name = application ? applicationName(application) : unknownClientName(clientId)
  const text = isKnown
    ? texts.html('connectedDisconnected', { name })
    : texts.html('connectedUnknownDisconnected')
  return notice('good', html`<p>${text}</p>`)
}

/** Each developer's account is looked up once. */
async function withDevelopers(
  accounts: Pick<HostAccounts, 'find'>,
  connections: readonly Connection[],
  applications: ReadonlyMap<string, Application>,
): Promise<ConnectionModel[]> {
  const found = new Map<string, Promise<Account | undefined>>()

  function ownerOf({ accountId }: Application): Promise<Account | undefined> | undefined {
    // An application with a metadata document has no account.
    if (accountId === '') return undefined
    const account = found.get(accountId) ?? accounts.find(accountId)
    found.set(accountId, account)
    return account
  }

  return Promise.all(
    connections.map(async (connection) => {
      const application = applications.get(connection.clientId)
      const name = application && (await ownerOf(application))?.claims?.['name']
      return { connection, application, developer: typeof name === 'string' ? name : undefined }
    }),
  )
}

const CARDS_PER_PAGE = 15

const CURSOR = /^(\d{1,12})\.(.+)$/

/** A cursor stays valid after a disconnection. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
function pageOfConnections(connections: readonly Connection[], cursor?: string) {
  const rest = cursor === undefined ? connections : connections.filter(isAfter(cursor))
  const items = rest.slice(0, CARDS_PER_PAGE)
  const last = rest.length > CARDS_PER_PAGE ? items.at(-1) : undefined
  return { items, cursor: last && `${last.connectedAt}.${last.clientId}` }
}

function isAfter(cursor: string): (connection: Connection) => boolean {
  const [, time = '', id = ''] = CURSOR.exec(cursor) ?? []
  if (id === '') throw new GatehouseError('ERR_INVALID_ARGUMENT', 'the cursor is not one of this list')
  const connectedAt = Number(time)
  return (each) => each.connectedAt < connectedAt || (each.connectedAt === connectedAt && each.clientId > id)
}

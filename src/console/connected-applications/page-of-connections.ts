import { GatehouseError } from '../../errors.ts'
import type { Connection } from '../../grants/connections.ts'

/** Cards on one page. */
const PAGE_SIZE = 15

const CURSOR = /^(\d{1,12})\.(.{1,200})$/

/**
 * The connections of one page.
 *
 * @param connections all connections, in the order of `Connections.list`
 * @param cursor the cursor that the page before returned. It names the place in the order, so the connection
 *   itself may be disconnected meanwhile
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for another cursor
 */
export function pageOfConnections(
  connections: readonly Connection[],
  cursor?: string,
): { items: readonly Connection[]; cursor: string | undefined } {
  const rest = cursor === undefined ? connections : connections.filter(isAfter(cursor))
  const items = rest.slice(0, PAGE_SIZE)
  const last = rest.length > PAGE_SIZE ? items.at(-1) : undefined
  return { items, cursor: last && `${last.connectedAt}.${last.clientId}` }
}

function isAfter(cursor: string): (connection: Connection) => boolean {
  const [, time = '', id = ''] = CURSOR.exec(cursor) ?? []
  if (id === '') throw new GatehouseError('ERR_INVALID_ARGUMENT', 'the cursor is not one of this list')
  const connectedAt = Number(time)
  return (each) => each.connectedAt < connectedAt || (each.connectedAt === connectedAt && each.clientId > id)
}

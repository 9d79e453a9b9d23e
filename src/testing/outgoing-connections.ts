import type { Gatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf, type Internals } from '../gatehouse/internals.ts'
import type { OutgoingConnections } from '../http/outgoing/connections.ts'
import type { Outgoing } from '../http/outgoing/outgoing.ts'

/**
 * Replaces how a gatehouse reaches hosts that strangers have named, for tests of the host's app: for example, to serve
 * client metadata documents from a server of the test. Everything else stays as in production: a host name may lead only
 * to public addresses, so `resolve` returns a public address, and `connect` connects to the server of the test instead.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `createGatehouse` did not create the gatehouse
 */
export function replaceOutgoingConnections(gatehouse: Gatehouse, connections: OutgoingConnections): void {
  const { outgoing } = internalsOf(gatehouse, 'replaceOutgoingConnections()') as Internals & {
    readonly outgoing: Outgoing
  }
  outgoing.replaceConnections(connections)
}

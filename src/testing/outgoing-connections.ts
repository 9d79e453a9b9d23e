import type { AnyGatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf } from '../gatehouse/internals.ts'
import type { OutgoingConnections } from '../http/outgoing/connections.ts'

/**
 * Replaces how a gatehouse reaches hosts that strangers have named, for tests of the host's app: for example, to serve
 * client metadata documents from a server of the test. Everything else stays as in production: a host name may lead
 * only to public addresses, so `resolve` returns a public address, and `connect` connects to the server of the test
 * instead.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `createGatehouse` did not create the gatehouse
 */
export async function replaceOutgoingConnections(
  gatehouse: AnyGatehouse,
  connections: OutgoingConnections,
): Promise<void> {
  const outgoing = await internalsOf(gatehouse, 'replaceOutgoingConnections()').outgoing()
  outgoing.replaceConnections(connections)
}

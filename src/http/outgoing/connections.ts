import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { connect, type TLSSocket } from 'node:tls'

/** An IP address of a host name. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Where to connect, and which name the certificate must have. */
export interface ConnectionTarget extends ResolvedAddress {
  readonly port: number
  /** The host name of the URL, for SNI (RFC 6066 3) and for the check of the certificate (RFC 9525). */
  readonly servername: string
}

/** How outgoing requests reach a host. Only tests replace this. */
export interface OutgoingConnections {
  /** Returns all addresses of a host name, the preferred one first. */
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>
  /** Begins a TLS connection, which checks the certificate before it emits `secureConnect`. */
  connect(target: ConnectionTarget): TLSSocket
}

/** Milliseconds for the first try of a DNS query. The second try takes up to twice as long. */
const DNS_TIMEOUT_MS = 1_000

/**
 * Reaches hosts on the internet, by the DNS servers of this machine. `dns.lookup` would occupy a thread of libuv for
 * each name, and few threads resolve names for the whole process. So strangers with slow DNS servers could stop the
 * connections of the host, such as to Redis.
 */
export const internet: OutgoingConnections = {
  resolve: (hostname) => resolveWith(new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 }), hostname),
  connect: connectToAddress,
}

/** IPv4 is preferred, unless this machine has only IPv6. If one of the two queries fails, the other one counts. */
export async function resolveWith(
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'>,
  hostname: string,
  hasIpv4 = canReach('IPv4'),
): Promise<ResolvedAddress[]> {
  const found = async (query: Promise<string[]>, family: 4 | 6) =>
    (await query.catch(() => [])).map((address) => ({ address, family }))
  const ipv4 = found(resolver.resolve4(hostname), 4)
  const ipv6 = found(resolver.resolve6(hostname), 6)
  return (await Promise.all(hasIpv4 ? [ipv4, ipv6] : [ipv6, ipv4])).flat()
}

function canReach(family: 'IPv4' | 'IPv6'): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((one) => one.family === family && !one.internal),
  )
}

function connectToAddress({ address, port, servername }: ConnectionTarget): TLSSocket {
  return connect({
    // An IP address, so `connect` resolves no name.
    host: address,
    port,
    servername,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // The environment cannot switch off the checks.
    rejectUnauthorized: true,
  })
}

import type { GatewayAuthentication } from '../../src/authorization-server/provider/authenticate-gateway.ts'
import type { ClientRegistry } from '../../src/clients/client-registry.ts'
import { createProxyCheck } from '../../src/health/proxy-check.ts'
import { silentLogger } from '../../src/host/logger.ts'

/** Authenticates the gateways of a registry, without limits and without reports. */
export function acceptingGateways(registry: ClientRegistry): GatewayAuthentication {
  return {
    registry,
    issuer: 'https://example.com/auth',
    secretUsed() {},
    proxyCheck: createProxyCheck({ issuer: 'https://example.com/auth', logger: silentLogger }),
    audit: { reject() {} } as unknown as GatewayAuthentication['audit'],
    events: { emit: () => false },
    wrongSecrets: { isBeyond: () => false, add: () => ({ waitSeconds: 0, isFirst: false }) },
  }
}

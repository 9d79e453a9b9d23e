import { createAccountService } from '../access/account-changes.ts'
import { createRevokeAccount } from '../access/revoke-account.ts'
import { createTokens } from '../access/token-service.ts'
import type { AuditTrail } from '../audit/read-trail.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import type { Parts } from './parts.ts'

/**
 * Wires the services that hosts call. Each call waits until gatehouse runs, so a host may create its first
 * API key right after `createGatehouse`. A call rejects with the same errors as `ready()`.
 */
export function createServices(parts: Parts, verify: VerifyToken, ready: () => Promise<unknown>) {
  const { apiKeys, applications, secrets, hygiene, clientDocuments, clientTokens, grants, audit } = parts
  const { list, rotate, revoke } = parts.keys
  const revokeAccount = createRevokeAccount(clientTokens, grants)
  const services = {
    apiKeys,
    applications,
    secrets: { find: secrets.find, reportLeaked: secrets.reportLeaked },
    hygiene: { list: hygiene.list, unusedProducts: hygiene.unusedProducts },
    clientDocuments,
    grants,
    tokens: createTokens({ ...parts, verify, revokeAccount }),
    accounts: {
      ...createAccountService({ ...parts, revokeAccount }),
      erase: parts.erase,
    },
    signingKeys: { list, rotate, revoke },
    catalog: {
      async reload() {
        await parts.catalogSync.reload()
        return { clientsOverScopeLimit: await parts.scopeLimitCheck.findOversized() }
      },
    },
  }
  const waiting = Object.entries(services).map(([name, service]) => [name, waitUntilReady(service, ready)])
  return {
    ...(Object.fromEntries(waiting) as typeof services),
    audit: {
      async list(options) {
        await ready()
        return audit.list(options)
      },
      async *read(options) {
        await ready()
        yield* audit.read(options)
      },
    } satisfies AuditTrail,
  }
}

function waitUntilReady<Service extends object>(service: Service, ready: () => Promise<unknown>): Service {
  const methods = Object.entries(service) as [string, (...args: unknown[]) => Promise<unknown>][]
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await ready()
        return method.apply(service, args)
      },
    ]),
  ) as Service
}

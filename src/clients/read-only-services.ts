import { GatehouseError } from '../errors.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Applications } from './applications.ts'
import type { Client } from './client.ts'
import type { ChangeOptions } from './client-service-types.ts'
import type { HostClientTokens } from './revoke-host-client-tokens.ts'

/** Every method of both; the compiler sees to it that none is missing. */
const BOTH: Record<Exclude<keyof ApiKeys & keyof Applications, 'reportCompromised'>, true> = {
  create: true,
  find: true,
  list: true,
  listByOwner: true,
  rename: true,
  addProduct: true,
  removeProduct: true,
  removeOperation: true,
  restoreOperation: true,
  rotateSecret: true,
  revokeSecret: true,
  listSecrets: true,
  disable: true,
  enable: true,
  delete: true,
}

const API_KEYS: Record<Exclude<keyof ApiKeys, 'reportCompromised'>, true> = {
  ...BOTH,
  setResourceServer: true,
}

const APPLICATIONS: Record<Exclude<keyof Applications, 'reportCompromised'>, true> = {
  ...BOTH,
  setRedirectUris: true,
  setPostLogoutRedirectUris: true,
  setHomepageUri: true,
  setLogoUri: true,
  setFirstParty: true,
}

/**
 * Stand in for the services where the host keeps API keys and applications itself: every method rejects with
 * `ERR_REGISTRY_READ_ONLY`, except `reportCompromised`, which revokes the tokens of a client.
 */
export function createReadOnlyServices({ reportCompromised }: Pick<HostClientTokens, 'reportCompromised'>): {
  apiKeys: ApiKeys
  applications: Applications
} {
  const report = (kind: Client['kind']) => ({
    reportCompromised: (clientId: string, options?: ChangeOptions) =>
      reportCompromised(kind, clientId, options),
  })
  return {
    apiKeys: { ...rejectAll<Omit<ApiKeys, 'reportCompromised'>>('apiKeys', API_KEYS), ...report('apiKey') },
    applications: {
      ...rejectAll<Omit<Applications, 'reportCompromised'>>('applications', APPLICATIONS),
      ...report('application'),
    },
  }
}

function rejectAll<Service extends object>(service: string, methods: Record<keyof Service, true>): Service {
  const entries = Object.keys(methods).map((method) => [
    method,
    async () => {
      throw new GatehouseError(
        'ERR_REGISTRY_READ_ONLY',
        `${service}.${method}() is not available: the option "registry" is set, so API keys and applications are kept by the host, and are read and changed there`,
      )
    },
  ])
  return Object.fromEntries(entries) as Service
}

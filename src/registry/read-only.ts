import { GatehouseError } from '../errors.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Applications } from './applications.ts'

/** Every method of both; the compiler sees to it that none is missing. */
const BOTH: Record<keyof ApiKeys & keyof Applications, true> = {
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

const API_KEYS: Record<keyof ApiKeys, true> = {
  ...BOTH,
  setResourceServer: true,
}

const APPLICATIONS: Record<keyof Applications, true> = {
  ...BOTH,
  setRedirectUris: true,
  setPostLogoutRedirectUris: true,
  setHomepageUri: true,
  setLogoUri: true,
  setFirstParty: true,
}

/**
 * Stand in for the services where the host keeps API keys and applications itself: every method rejects with
 * `ERR_REGISTRY_READ_ONLY`.
 */
export function createReadOnlyServices(): { apiKeys: ApiKeys; applications: Applications } {
  return {
    apiKeys: rejectAll<ApiKeys>('apiKeys', API_KEYS),
    applications: rejectAll<Applications>('applications', APPLICATIONS),
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

import { GatehouseError } from '../errors.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Applications } from './applications.ts'
import type { HostClientTokens } from './revoke-host-client-tokens.ts'

/** The services of API keys and applications. */
interface ClientServices {
  readonly apiKeys: ApiKeys
  readonly applications: Applications
}

/**
 * Creates the services for a host that manages API keys and applications. `reportCompromised` revokes the
 * tokens of a client. Every other method rejects with `ERR_REGISTRY_READ_ONLY`.
 *
 * @param services the services for clients in the store. Only the names of their methods are used
 */
export function createReadOnlyServices(
  { apiKeys, applications }: ClientServices,
  { reportCompromised }: Pick<HostClientTokens, 'reportCompromised'>,
): ClientServices {
  return {
    apiKeys: {
      ...rejectAll('apiKeys', apiKeys),
      reportCompromised: (clientId, options) => reportCompromised('apiKey', clientId, options),
    },
    applications: {
      ...rejectAll('applications', applications),
      reportCompromised: (clientId, options) => reportCompromised('application', clientId, options),
    },
  }
}

function rejectAll<Service extends object>(name: string, service: Service): Service {
  const entries = Object.keys(service).map((method) => [
    method,
    async () => {
      throw new GatehouseError(
        'ERR_REGISTRY_READ_ONLY',
        `${name}.${method}() is not available: the option "registry" is set, so the host manages API keys and applications; read and change them in the host's tables`,
      )
    },
  ])
  return Object.fromEntries(entries) as Service
}

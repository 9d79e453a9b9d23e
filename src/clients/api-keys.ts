import type { Resources } from '../catalog/resources.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import { isGatewayKey, type ApiKey, type NewApiKey } from './client.ts'
import {
  createClient,
  type CreationOptions,
  type CredentialsInput,
  newClient,
  type WithExistingSecret,
  type WithKeys,
  type WithNewSecret,
} from './create-client.ts'
import { policyOf } from './expiry-policy.ts'
import { changeRules } from './rules-from-fields.ts'
import { CLIENT_FIELDS } from './client-fields.ts'
import { createClientService } from './client-service.ts'
import { fieldsSetter } from './set-fields.ts'
import type { ClientService } from './client-service-types.ts'
import { invalidArgument } from '../errors.ts'
import { createClientRepository, findClient, type ClientsDependencies } from './client-repository.ts'
import { anyValue, booleanRule, checkInput } from '../validation/rules.ts'

/** The options of `setResourceServer`. */
export interface ResourceServerOptions extends ChangeOptions {
  /** As in `NewApiKey`. @default all resources, even if the key was limited before */
  readonly resources?: readonly string[] | undefined
}

/** API keys: credentials for direct access. Each key acts on the account that owns it. */
export interface ApiKeys<
  Scope extends string = string,
  Product extends string = string,
> extends ClientService<ApiKey, Scope, Product> {
  /**
   * Creates an API key with a new secret. Only this call returns the secret.
   *
   * @throws {GatehouseError} `ERR_CONFLICT` if another client has the client id, or a deleted client had this id;
   *   `ERR_SCOPE_TOO_LARGE`; `ERR_TOO_MANY_CLIENTS`; with `idempotencyKey`, `ERR_IDEMPOTENCY_KEY` and `ERR_IN_PROGRESS`
   */
  create(
    input: NewApiKey<Scope, Product> & WithNewSecret,
    options?: CreationOptions,
  ): Promise<{ apiKey: ApiKey; clientSecret: string }>
  /** Imports an existing API key, with the secret that its holder already has. */
  create(
    input: NewApiKey<Scope, Product> & WithExistingSecret,
  ): Promise<{ apiKey: ApiKey; clientSecret: undefined }>
  /** Creates an API key that authenticates with its public keys, and has no secret. */
  create(
    input: NewApiKey<Scope, Product> & WithKeys,
    options?: CreationOptions,
  ): Promise<{ apiKey: ApiKey; clientSecret: undefined }>
  /** Creates an API key from input that may have keys. Without keys, it gets a new secret. */
  create(
    input: NewApiKey<Scope, Product> & (WithNewSecret | WithKeys),
    options?: CreationOptions,
  ): Promise<{ apiKey: ApiKey; clientSecret: string | undefined }>

  /**
   * Sets whether the key belongs to an API behind a gateway. Such a key may introspect every access token
   * (RFC 7662) and receive revocations, even without a product. With `resources`, it sees the tokens of all other
   * resources as not active. If the key has no product, an expiry that came from `keyPolicy` is removed; an expiry that
   * was given stays. Call this from code only, never from a form.
   */
  setResourceServer(
    clientId: string,
    resourceServer: boolean,
    options?: ResourceServerOptions,
  ): Promise<ApiKey>
}

/** What only API keys have: `setResourceServer`, by which the key of a gateway loses its default expiry. */
export function createApiKeys(
  dependencies: ClientsDependencies & { readonly resources: Pick<Resources, 'find'> },
): ApiKeys {
  const { keyPolicy, resources: known } = dependencies
  const clients = createClientRepository<ApiKey>('apiKey', dependencies, [])
  const serverFields = { resourceServer: booleanRule, resources: anyValue }
  const setServerFields = fieldsSetter(clients, serverFields, withoutDefaultExpiry, 'resourceServer')

  function requireKnown(resources: readonly string[] = []): void {
    const unknown = resources.find((address) => !known.find(address))
    if (unknown === undefined) return
    const message = 'must list audience, or addresses of the option resources'
    throw invalidArgument('resources', { code: 'not-found', message })
  }

  async function create(input: NewApiKey & CredentialsInput, options: CreationOptions = {}) {
    const apiKey = newClient(clients, 'the API key cannot be created', input)
    requireKnown(input.resources)
    const { client, clientSecret } = await createClient(clients, apiKey, input, options)
    return { apiKey: client, clientSecret }
  }

  return {
    ...createClientService(clients),
    // The compiler cannot check that `secretHash` decides which overload of `create` applies.
    create: create as ApiKeys['create'],
    async update(clientId, changes, options) {
      const key = changes?.expiresAt === undefined ? undefined : await findClient(clients, clientId)
      const rules = changeRules('apiKey', key ? policyOf(key, keyPolicy) : keyPolicy)
      return fieldsSetter(clients, rules)(clientId, changes, options)
    },
    async setResourceServer(clientId, resourceServer, options = {}) {
      const { resources, ...change } = Object(options) as ResourceServerOptions
      const resourcesRule = CLIENT_FIELDS.apiKey.resources.ruleAtCreation({ input: { resourceServer } })
      const rules = { resourceServer: booleanRule, resources: resourcesRule }
      checkInput('the client cannot be changed', { resourceServer, resources }, rules)
      requireKnown(resources)
      return setServerFields(clientId, { resourceServer, resources: resources ?? null }, change)
    },
  }
}

function withoutDefaultExpiry(key: ApiKey): ApiKey {
  if (!isGatewayKey(key) || !key.expiresByDefault) return key
  const { expiresAt: _, expiresByDefault: __, ...lasting } = key
  return lasting
}

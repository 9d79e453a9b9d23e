import type { ChangeOptions } from '../host/change-options.ts'
import { GatehouseError, invalidArgument } from '../errors.ts'
import type { Application, ApplicationChanges, NewApplication } from './client.ts'
import {
  createClient,
  type CreationOptions,
  type CredentialsInput,
  newClient,
  type WithExistingSecret,
  type WithKeys,
  type WithNewSecret,
} from './create-client.ts'
import type { Field } from './field-row.ts'
import { changeRules } from './rules-from-fields.ts'
import { CLIENT_FIELDS } from './client-fields.ts'
import { createClientService } from './client-service.ts'
import { fieldsSetter } from './set-fields.ts'
import type { ClientService } from './client-service-types.ts'
import { createClientRepository, type ClientsDependencies } from './client-repository.ts'
import { booleanRule } from '../validation/rules.ts'
import { requireConsistent } from './public-applications.ts'

/** Applications: credentials for delegated access. Each application acts on the accounts of users who authorized it. */
export interface Applications<
  Scope extends string = string,
  Product extends string = string,
> extends ClientService<Application, Scope, Product, ApplicationChanges> {
  /**
   * Creates an application with a new secret. Only this call returns the secret.
   *
   * @throws {GatehouseError} `ERR_CONFLICT` if another client has the client id, or a deleted client had this id;
   *   `ERR_SCOPE_TOO_LARGE`; `ERR_TOO_MANY_CLIENTS`; with `idempotencyKey`, `ERR_IDEMPOTENCY_KEY` and `ERR_IN_PROGRESS`
   */
  create(
    input: NewApplication<Scope, Product> & WithNewSecret & { readonly isPublic?: false | undefined },
    options?: CreationOptions,
  ): Promise<{ application: Application; clientSecret: string }>
  /** Imports an existing application, with the secret that its holder already has. */
  create(
    input: NewApplication<Scope, Product> & WithExistingSecret,
  ): Promise<{ application: Application; clientSecret: undefined }>
  /** Creates an application without a secret: a public application, or one that authenticates with its key. */
  create(
    input: NewApplication<Scope, Product> & ((WithNewSecret & { readonly isPublic: true }) | WithKeys),
    options?: CreationOptions,
  ): Promise<{ application: Application; clientSecret: undefined }>
  /** Creates an application from input that may say that it is public, and that may have keys. */
  create(
    input: NewApplication<Scope, Product> & (WithNewSecret | WithKeys),
    options?: CreationOptions,
  ): Promise<{ application: Application; clientSecret: string | undefined }>

  /**
   * Sets whether the application is the host's own, so that users are not asked for consent. Call this from
   * code only, never from a form.
   */
  setFirstParty(clientId: string, firstParty: boolean, options?: ChangeOptions): Promise<Application>
}

/** What only applications have: `isPublic`, `firstParty`. @param dependencies.oidcScopes what tokens carry beside operations */
export function createApplications(
  dependencies: ClientsDependencies & {
    readonly oidcScopes: readonly string[]
    readonly publicApplications: boolean
  },
): Applications {
  const { keyPolicy, oidcScopes, publicApplications } = dependencies
  const clients = createClientRepository<Application>('application', dependencies, oidcScopes)

  const setFirstParty = fieldsSetter(clients, { firstParty: booleanRule }, requireConsistent)

  async function create(input: NewApplication & CredentialsInput, options: CreationOptions = {}) {
    const application = newClient(clients, 'the application cannot be created', input)
    requireShortAddresses(application)
    if (input.isPublic) requirePublicAllowed(input, publicApplications)
    requireConsistent(application)
    const { client, clientSecret } = await createClient(clients, application, input, options)
    return { application: client, clientSecret }
  }

  return {
    ...createClientService(clients),
    // The compiler cannot check that `secretHash` decides which overload of `create` applies.
    create: create as Applications['create'],
    update: fieldsSetter(clients, changeRules('application', keyPolicy), (changed, before) => {
      requireShortAddresses(changed, before)
      requireConsistent(changed)
    }),
    setFirstParty: (clientId, firstParty, options) => setFirstParty(clientId, { firstParty }, options),
  }
}

function requirePublicAllowed(input: NewApplication & CredentialsInput, isAllowed: boolean): void {
  const headline = 'the application cannot be created: '
  const option = 'needs the option publicApplications of createGatehouse'
  if (!isAllowed) throw invalidArgument('isPublic', { code: 'not-allowed', message: option }, headline)
  const beside = (['secretHash', 'jwks'] as const).find((name) => input[name] !== undefined)
  if (beside === undefined) return
  const message = 'is not possible for a public application, which has no secret and no key'
  throw invalidArgument(beside, { code: 'public-application', message }, headline)
}

/** In bytes. An address is ASCII. */
const MAX_ADDRESS_BYTES = 16_384

/** Rejects too long addresses that get longer. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
function requireShortAddresses(application: Application, before?: Application): void {
  const bytes = addressBytes(application)
  if (bytes <= MAX_ADDRESS_BYTES || (before && bytes <= addressBytes(before))) return
  const message = `the addresses of the application have ${bytes} characters in total, and at most ${MAX_ADDRESS_BYTES} are allowed. Use fewer or shorter addresses`
  throw new GatehouseError('ERR_INVALID_ARGUMENT', message, {
    problems: [{ path: '', code: 'urls-too-long', message, max: MAX_ADDRESS_BYTES }],
  })
}

function addressBytes(application: Application): number {
  const fields: Readonly<Record<string, Field>> = CLIENT_FIELDS.application
  const hasAddresses = (name: string) => ['url', 'lines'].includes(fields[name]?.input?.type ?? '')
  const addresses = Object.entries(application).filter(([name]) => hasAddresses(name))
  return addresses.map(([, value = '']) => [value].flat().join('')).join('').length
}

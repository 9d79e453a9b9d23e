import type { Catalog } from '../catalog/catalog.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import { GatehouseError } from '../errors.ts'
import { applicationFields, requireShortAddresses, webRedirectUrisRule } from './application-fields.ts'
import { allowedAddressesRule } from './allowed-addresses.ts'
import type { Application } from './client.ts'
import { createClient, newClient, newClientFields, type CredentialsInput } from './create-client.ts'
import { changedExpiryRule, type KeyPolicy } from './expiry.ts'
import { createClientService, fieldsSetter } from './client-service.ts'
import type {
  ClientChanges,
  CreationOptions,
  NewClient,
  WithExistingSecret,
  WithKeys,
  WithNewSecret,
} from './client-inputs.ts'
import type { ClientService } from './client-service-types.ts'
import { createClientRepository, type ClientsDependencies } from './client-repository.ts'
import { booleanRule, checkInput, type Fields, nameRule, optional, type Rule } from '../validation/rules.ts'
import { requireConsistent } from './public-applications.ts'

/** The input for a new application. */
export interface NewApplication<
  Scope extends string = string,
  Product extends string = string,
> extends NewClient<Scope, Product> {
  /**
   * Redirect URIs to which codes may be sent; at most 20. Each URI must start with `https:`, or with `http:`
   * if its host is a loopback host. It must not contain a fragment, a wildcard, a user name or a password.
   * URIs are compared character by character. For a public application, the scheme may also be a domain name in reverse
   * order (`com.example.app:/callback`, RFC 8252 7.1), and a loopback host may have any port (RFC 8252 7.3).
   * @default none: no user can authorize the application until a URI is set
   */
  readonly redirectUris?: readonly string[] | undefined
  /** Where the browser may be sent after sign-out; the rules of `redirectUris` apply. @default none */
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  /** Home page, shown at consent. @default none */
  readonly homepageUri?: string | undefined
  /** Logo, shown at consent; must start with `https:`. @default none */
  readonly logoUri?: string | undefined
  /** Privacy policy of the application, linked at consent. @default none */
  readonly privacyUri?: string | undefined
  /** Terms of service of the application, linked at consent. @default none */
  readonly termsUri?: string | undefined
  /**
   * Whether the application is the host's own, so that users are not asked for consent. Never take this value
   * from a form. @default false
   */
  readonly firstParty?: boolean | undefined
  /**
   * Whether the application cannot keep a secret: a page in a browser, an app on a phone, or a program on the
   * computer of its user. It gets no secret and must use PKCE. It stays public. The option `publicApplications` is
   * needed.
   * @default false
   */
  readonly isPublic?: boolean | undefined
  /**
   * Origins of a public application whose pages may call the token endpoint, such as `http://localhost:5173`; at most
   * 20. The origins of its https redirect URIs need no entry. @default none
   */
  readonly origins?: readonly string[] | undefined
  /** Only API keys can be resource servers. */
  readonly resourceServer?: undefined
  /** Only resource servers have it. */
  readonly resources?: undefined
}

interface IsPublic {
  readonly isPublic: true
  readonly secretHash?: undefined
  readonly jwks?: undefined
}

/** The fields of an application that can be changed together. */
export interface ApplicationChanges extends ClientChanges {
  /** The whole list of redirect URIs; the rules of `NewApplication` apply. */
  readonly redirectUris?: readonly string[] | undefined
  /** The whole list of URIs for the redirect after sign-out. */
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  /** The whole list of origins of a public application. */
  readonly origins?: readonly string[] | undefined
  /** Home page, shown at consent; null removes it. */
  readonly homepageUri?: string | null | undefined
  /** Logo, shown at consent; null removes it. */
  readonly logoUri?: string | null | undefined
  /** Privacy policy of the application, linked at consent; null removes it. */
  readonly privacyUri?: string | null | undefined
  /** Terms of service of the application, linked at consent; null removes it. */
  readonly termsUri?: string | null | undefined
}

/**
 * Applications: credentials for delegated access. Each application acts on the accounts of users who
 * authorized it.
 */
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
    input: NewApplication<Scope, Product> & (IsPublic | WithKeys),
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

/** All these fields are optional at creation. */
const OPTIONAL_FIELDS = Object.fromEntries(
  Object.entries(applicationFields).map(([name, rule]) => [name, optional(rule)]),
)

export function newApplicationFields(catalog: Catalog, input: unknown, keyPolicy: KeyPolicy): Fields {
  const isPublic = Object(input).isPublic === true
  return {
    ...newClientFields(catalog, input, keyPolicy),
    ...OPTIONAL_FIELDS,
    ...(!isPublic && {
      redirectUris: optional(webRedirectUrisRule),
      postLogoutRedirectUris: optional(webRedirectUrisRule),
    }),
    isPublic: optional(booleanRule),
  }
}

export const applicationChanges = (keyPolicy: KeyPolicy): Fields => ({
  name: optional(nameRule),
  expiresAt: changedExpiryRule(keyPolicy),
  allowedAddresses: optional(allowedAddressesRule),
  redirectUris: optional(applicationFields.redirectUris),
  postLogoutRedirectUris: optional(applicationFields.postLogoutRedirectUris),
  origins: applicationFields.origins,
  homepageUri: removable(applicationFields.homepageUri),
  logoUri: removable(applicationFields.logoUri),
  privacyUri: removable(applicationFields.privacyUri),
  termsUri: removable(applicationFields.termsUri),
})

function removable(rule: Rule): Rule {
  return (value) => (value === null ? undefined : rule(value))
}

/** Applications in the store. @param dependencies.oidcScopes what tokens carry beside operations */
export function createApplications(
  dependencies: ClientsDependencies & {
    readonly oidcScopes: readonly string[]
    readonly publicApplications: boolean
  },
): Applications {
  const { catalog, keyPolicy, oidcScopes, publicApplications } = dependencies
  const clients = createClientRepository<Application>('application', dependencies, oidcScopes)

  const setFirstParty = fieldsSetter(clients, { firstParty: applicationFields.firstParty }, requireConsistent)

  async function create(input: NewApplication & CredentialsInput, options: CreationOptions = {}) {
    checkInput(
      'the application cannot be created',
      input,
      newApplicationFields(catalog.current, input, keyPolicy),
    )
    requireShortAddresses(input)
    if (input.isPublic) requirePublicAllowed(input, publicApplications)
    const { origins = [] } = input
    const application: Application = {
      kind: 'application',
      ...newClient('application', input, keyPolicy),
      redirectUris: [...(input.redirectUris ?? [])],
      postLogoutRedirectUris: [...(input.postLogoutRedirectUris ?? [])],
      ...(input.homepageUri !== undefined && { homepageUri: input.homepageUri }),
      ...(input.logoUri !== undefined && { logoUri: input.logoUri }),
      ...(input.privacyUri !== undefined && { privacyUri: input.privacyUri }),
      ...(input.termsUri !== undefined && { termsUri: input.termsUri }),
      firstParty: input.firstParty ?? false,
      ...(input.isPublic && { isPublic: true as const }),
      ...(origins.length > 0 && { origins: [...origins] }),
    }
    requireConsistent(application)
    const { client, clientSecret } = await createClient(clients, application, input, options)
    return { application: client, clientSecret }
  }

  return {
    ...createClientService(clients),
    // The compiler cannot check that `secretHash` decides which overload of `create` applies.
    create: create as Applications['create'],
    update: fieldsSetter(clients, applicationChanges(keyPolicy), (changed, before) => {
      requireShortAddresses(changed, before)
      requireConsistent(changed)
    }),
    setFirstParty: (clientId, firstParty, options) => setFirstParty(clientId, { firstParty }, options),
  }
}

function requirePublicAllowed(input: NewApplication & CredentialsInput, isAllowed: boolean): void {
  const beside = (['secretHash', 'jwks'] as const).find((name) => input[name] !== undefined)
  if (isAllowed && beside === undefined) return
  const path = isAllowed ? String(beside) : 'isPublic'
  const message = isAllowed
    ? 'is not possible for a public application, which has no secret and no key'
    : 'needs the option publicApplications of createGatehouse'
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `the application cannot be created: ${path} ${message}`, {
    problems: [{ path, code: isAllowed ? 'public-application' : 'not-allowed', message }],
  })
}

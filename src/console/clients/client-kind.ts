import type { Client } from '../../clients/client.ts'
import type { ClientService, CreationOptions } from '../../clients/client-service-types.ts'
import type { Caller } from '../../front-door/enter.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

/** The services that the pages of clients use. */
export type ClientPageServices = Pick<
  ConsoleServices,
  'apiKeys' | 'applications' | 'catalog' | 'accounts' | 'audit' | 'issuer' | 'audience'
>

/** What the form for a new client asks for. */
export interface NewClientInput {
  readonly name: string
  readonly products: readonly string[]
  readonly removedOperations: readonly string[]
  /** Only applications have redirect URIs. */
  readonly redirectUris?: readonly string[] | undefined
}

/** What differs between the pages of API keys and those of applications. */
export interface ClientKind {
  readonly kind: Client['kind']
  readonly service: ClientService<Client, string, string>
  /** The path of the list. */
  readonly base: '/api-keys' | '/applications'
  readonly section: 'apiKeys' | 'applications'
  readonly permissions: 'keys' | 'applications'
  /** The kind in words, for messages of errors. */
  readonly noun: 'API key' | 'application'
  /** What the names of the texts about this kind begin with. */
  readonly words: 'clientsKey' | 'clientsApp'
  /** Creates a client of an account. */
  create(
    input: NewClientInput & Pick<Caller, 'accountId' | 'userId'> & ChangeOptions,
    options: CreationOptions,
  ): Promise<{ client: Client; clientSecret: string }>
}

/** The kind of the pages below `/api-keys`. */
export function apiKeyKind(service: ConsoleServices['apiKeys']): ClientKind {
  return {
    kind: 'apiKey',
    service,
    base: '/api-keys',
    section: 'apiKeys',
    permissions: 'keys',
    noun: 'API key',
    words: 'clientsKey',
    async create(input, options) {
      const { apiKey, clientSecret } = await service.create(input, options)
      return { client: apiKey, clientSecret }
    },
  }
}

/** The kind of the pages below `/applications`. */
export function applicationKind(service: ConsoleServices['applications']): ClientKind {
  return {
    kind: 'application',
    service,
    base: '/applications',
    section: 'applications',
    permissions: 'applications',
    noun: 'application',
    words: 'clientsApp',
    async create(input, options) {
      const { application, clientSecret } = await service.create(input, options)
      return { client: application, clientSecret }
    },
  }
}

/** The part of a name that the texts of both kinds have in common: `Title` of `clientsKeyTitle`. */
type Word = TextName extends infer Name ? (Name extends `clientsKey${infer Rest}` ? Rest : never) : never

/** The name of a text about a kind. */
export function word({ words }: Pick<ClientKind, 'words'>, rest: Word): TextName {
  return `${words}${rest}`
}

/** Creates a function that finds the caller's own client. */
export function clientFinder({ service }: Pick<ClientKind, 'service'>) {
  return ({ accountId }: Caller, { clientId = '' }: Readonly<Record<string, string>>): Promise<Client> =>
    service.findOwn(accountId, clientId)
}

/** The path of the page of a client. */
export function pathOf({ base }: Pick<ClientKind, 'base'>, { clientId }: Pick<Client, 'clientId'>): string {
  return `${base}/${encodeURIComponent(clientId)}`
}

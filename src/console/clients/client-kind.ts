import type { Client } from '../../clients/client.ts'
import { clientNotFound } from '../../clients/client-not-found.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import type { CreatedClient, DerivedCredentials } from '../../clients/repeatable/repeatable-changes.ts'
import type { Caller } from '../../host/caller.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

/** The services that the pages of clients use. */
export type ClientPageServices = Pick<
  ConsoleServices,
  'apiKeys' | 'applications' | 'catalog' | 'accounts' | 'repeatable' | 'audit' | 'issuer' | 'audience'
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
  /** @param derived the client id and the hash of the secret; undefined for random ones */
  create(
    caller: Caller,
    input: NewClientInput & ChangeOptions,
    derived?: DerivedCredentials,
  ): Promise<CreatedClient<Client>>
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
    async create({ accountId, userId }, given, derived) {
      const input = { ...given, accountId, userId }
      const created = derived ? await service.create({ ...input, ...derived }) : await service.create(input)
      return { client: created.apiKey, clientSecret: created.clientSecret }
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
    async create({ accountId, userId }, given, derived) {
      const input = { ...given, accountId, userId }
      const created = derived ? await service.create({ ...input, ...derived }) : await service.create(input)
      return { client: created.application, clientSecret: created.clientSecret }
    },
  }
}

/** The part of a name that the texts of both kinds have in common: `Title` of `clientsKeyTitle`. */
type Word = TextName extends infer Name ? (Name extends `clientsKey${infer Rest}` ? Rest : never) : never

/** The name of a text about a kind. */
export function word({ words }: Pick<ClientKind, 'words'>, rest: Word): TextName {
  return `${words}${rest}`
}

/** Creates a function that finds the caller's own client. The client of another account is not found. */
export function clientFinder({ service, noun }: ClientKind) {
  return async function findClient(
    { accountId }: Caller,
    { clientId = '' }: Readonly<Record<string, string>>,
  ): Promise<Client> {
    const client = await service.find(clientId)
    if (client?.accountId !== accountId) throw clientNotFound(noun, clientId)
    return client
  }
}

/** The path of the page of a client. */
export function pathOf({ base }: Pick<ClientKind, 'base'>, { clientId }: Pick<Client, 'clientId'>): string {
  return `${base}/${encodeURIComponent(clientId)}`
}

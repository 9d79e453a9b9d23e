import type { Application, Client } from '../../../clients/client.ts'
import type { ClientService } from '../../../clients/client-service-types.ts'
import type { ClientState } from '../../../clients/why-no-token.ts'
import type { Caller } from '../../front-door/access.ts'
import { PERMISSIONS } from '../../front-door/permissions-on-clients.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import type { Call, Page } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { isDocumentId } from '../../../validation/document-id.ts'

export const PAGES_OF_KIND = {
  apiKey: {
    kind: 'apiKey',
    base: '/api-keys',
    section: 'apiKeys',
    permissions: PERMISSIONS.apiKey,
    words: 'clientsKey',
  },
  application: {
    kind: 'application',
    base: '/applications',
    section: 'applications',
    permissions: PERMISSIONS.application,
    words: 'clientsApp',
  },
} as const

/** What differs between the pages of API keys and the pages of applications. */
export type ClientKind<C extends Client = Client> = (typeof PAGES_OF_KIND)[Client['kind']] & {
  readonly service: ClientService<C, string, string>
}

export function apiKeyKind({ apiKeys: service }: ConsoleServices): ClientKind {
  return { ...PAGES_OF_KIND.apiKey, service }
}

export function applicationKind({ applications: service }: ConsoleServices): ClientKind<Application> {
  return { ...PAGES_OF_KIND.application, service }
}

/** `Title` of `clientsKeyTitle`. */
export type Word = TextName extends infer Name
  ? Name extends `clientsKey${infer Rest}`
    ? Rest
    : never
  : never

export function word({ words }: Pick<ClientKind, 'words'>, rest: Word): TextName {
  return `${words}${rest}`
}

/** What pages of a client of the caller share; others are not found. @param path below the path of the client */
export function ownClient<C extends Client>({ base, section, service }: ClientKind<C>, path = '') {
  return {
    path: `${base}/:clientId${path}`,
    section,
    find: ({ accountId }: Caller, { clientId = '' }: Readonly<Record<string, string>>) =>
      service.findOwn(accountId, clientId),
    target: (client: C) => client,
  }
}

export function pathOf({ base }: Pick<ClientKind, 'base'>, { clientId }: Pick<Client, 'clientId'>): string {
  return `${base}/${encodeURIComponent(clientId)}`
}

/** The page of a client, for operators or its owner. Undefined if the console has no such page here. */
export function pagePathOf({ has }: Pick<Call, 'has'>, { kind, clientId }: Client): string | undefined {
  const { section, base } = PAGES_OF_KIND[kind]
  const id = encodeURIComponent(clientId)
  if (isDocumentId(clientId)) return undefined
  if (has('operator')) return `/operator/clients/${id}`
  return has(section) ? `${base}/${id}` : undefined
}

export function trail({ texts, to }: Pick<Call, 'texts' | 'to'>, kind: ClientKind, client?: Client): Html {
  return html`<nav class="trail-links" aria-label="${texts.plain('clientsTrail')}">
    <a href="${to(kind.base)}">${texts.html(word(kind, 'ListTitle'))}</a>
    ${client && html`<span aria-hidden="true">/</span> <a href="${to(pathOf(kind, client))}"><bdi>${applicationName(client)}</bdi></a>`}
  </nav>`
}

export type FoundCredentials = Awaited<ReturnType<typeof credentialsOf>>

export async function credentialsOf({ apiKeys, applications }: ConsoleServices, client: Client) {
  const { clientId, jwks } = client
  const service = client.kind === 'apiKey' ? apiKeys : applications
  const [secrets, keys] = await Promise.all([
    service.listSecrets(clientId),
    jwks ? service.listKeys(clientId) : [],
  ])
  return { secrets, keys }
}

/** A part of what a reader can see of a client and do with it, at an address of its own. */
export interface ClientPart {
  /** Below the path of the client. */
  readonly path: '' | `/${string}`
  readonly title: TextName
  /** @default every client has it, and every reader may see it */
  isShown?(call: Call<Client>): boolean | Promise<boolean>
  /** Undefined if the part has written the response itself. */
  show(call: Call<Client>, state: ClientState): Html | Promise<Html | undefined>
  /** The actions of the panels. */
  readonly actions?: Page<Client>['actions']
  readonly images?: ((client: Client) => readonly (string | undefined)[]) | undefined
}

import type { Client } from '../../clients/client.ts'
import { ifUnchanged } from '../../clients/if-match.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import type { ClientPresenter } from './add-client-state.ts'
import { NewKey } from './body-schemas.ts'
import type { ValueOf } from '../../validation/rules.ts'
import { route, type Route } from './route.ts'

/** What differs between the keys of API keys and the keys of applications. */
interface KeyRoutesOptions<C extends Client> {
  readonly service: Pick<ClientService<C, string, string>, 'listKeys' | 'addKey' | 'removeKey'>
  readonly permissions: 'keys' | 'applications'
  /** The name of the kind, as operation ids contain it. */
  readonly name: 'ApiKey' | 'Application'
  /** The path of the client. */
  readonly one: string
  /** What all routes of a client have in common. */
  readonly common: Pick<Route<undefined, undefined, C>, 'tag' | 'find' | 'target'>
  readonly sendClient: ClientPresenter['sendClient']
}

/** The routes of the public keys of a client. A change answers with the changed client. */
export function keyRoutes<C extends Client>(options: KeyRoutesOptions<C>): Route[] {
  const { service, permissions, name, one, common, sendClient } = options
  const changed = {
    ...common,
    access: `${permissions}:rotate`,
    isConditional: true,
    status: 200,
    answer: name,
    documentsEtag: true,
  } as const
  return [
    route<undefined, undefined, C>({
      ...common,
      method: 'get',
      path: `${one}/keys`,
      operationId: `list${name}Keys`,
      summary: 'List the public keys with which the client may authenticate, newest first',
      access: `${permissions}:read`,
      status: 200,
      answer: 'KeyList',
      handle: async ({ resource }) => ({ items: await service.listKeys(resource.clientId) }),
    }),
    route<ValueOf<typeof NewKey>, undefined, C>({
      ...changed,
      method: 'post',
      path: `${one}/keys`,
      operationId: `add${name}Key`,
      summary: 'Add a public key; secrets and other keys stay valid',
      description:
        'Without `kid`, the id of the key is its thumbprint (RFC 7638). A key that the client already has changes nothing.',
      confirms: `${permissions}:rotate`,
      body: NewKey,
      errors: ['ERR_INVALID_ARGUMENT'],
      handle: async ({ ctx, resource, body, change }) =>
        sendClient(ctx, await service.addKey(resource.clientId, body.key, ifUnchanged(change, resource))),
    }),
    route<undefined, undefined, C>({
      ...changed,
      access: `${permissions}:remove`,
      method: 'delete',
      path: `${one}/keys/{kid}`,
      operationId: `remove${name}Key`,
      summary: 'Remove a public key; tokens that were obtained with it stay valid',
      description: 'A repeat changes nothing. If the private key leaked, report the private key instead.',
      errors: ['ERR_ONE_SECRET'],
      handle: async ({ ctx, resource, params: { kid = '' }, change }) =>
        sendClient(ctx, await service.removeKey(resource.clientId, kid, change)),
    }),
  ]
}

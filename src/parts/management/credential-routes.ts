import type { Context } from 'koa'
import type { Client } from '../../clients/client.ts'
import type { CreationOptions } from '../../clients/client-inputs.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import { ifUnchanged } from '../../clients/if-match.ts'
import type { SecretAge } from '../../clients/secret-rotation.ts'
import type { ValueOf } from '../../validation/rules.ts'
import { route, type Route } from './route.ts'
import type { ClientPresenter } from './add-client-state.ts'
import { BODIES } from './body-schemas.ts'
import type { ServiceCode } from './openapi-codes.ts'

/** What differs between the credentials of API keys and the credentials of applications. */
interface CredentialRoutesOptions<C extends Client> {
  readonly service: Pick<
    ClientService<C, string, string>,
    'listSecrets' | 'rotateSecret' | 'revokeSecret' | 'listKeys' | 'addKey' | 'removeKey'
  >
  readonly permissions: 'keys' | 'applications'
  /** The name of the kind, as operation ids contain it. */
  readonly name: 'ApiKey' | 'Application'
  /** The path of the client. */
  readonly one: string
  /** What all routes of a client have in common. */
  readonly common: Pick<Route<undefined, undefined, C>, 'tag' | 'find' | 'target'>
  readonly sendClient: ClientPresenter['sendClient']
}

/** The routes of the secrets and public keys of a client. A change of the keys answers with the changed client. */
export function credentialRoutes<C extends Client>(options: CredentialRoutesOptions<C>): Route[] {
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
      path: `${one}/secrets`,
      operationId: `list${name}Secrets`,
      summary: 'List the valid secrets, newest first, without the secrets themselves',
      access: `${permissions}:read`,
      status: 200,
      answer: 'SecretList',
      handle: async ({ resource }) => ({ items: await service.listSecrets(resource.clientId) }),
    }),
    route<ValueOf<typeof BODIES.Rotation>, undefined, C>({
      ...common,
      method: 'post',
      path: `${one}/secrets`,
      operationId: `rotate${name}Secret`,
      summary: 'Create a new secret; the old secret stays valid for a while',
      description:
        'Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.',
      access: `${permissions}:rotate`,
      confirms: `${permissions}:rotate`,
      body: BODIES.Rotation,
      errors: ['ERR_TWO_SECRETS', 'ERR_SECRETS_CHANGED', 'ERR_CHANGED', ...errorsOfPublic(name)],
      isRepeatable: true,
      status: 201,
      answer: 'RotatedSecret',
      handle({ ctx, resource, caller, body, change: changeOptions }) {
        ctx.set('Location', 'secrets')
        return service.rotateSecret(resource.clientId, {
          ...body,
          shownTo: caller.userId,
          ...ifUnchanged(changeOptions, resource),
          ...repeatOptionsOf(ctx),
        })
      },
    }),
    ...(['old', 'new'] satisfies SecretAge[]).map((which) =>
      route<undefined, undefined, C>({
        ...common,
        method: 'delete',
        path: `${one}/secrets/${which}`,
        operationId: `revoke${which === 'old' ? 'Old' : 'New'}${name}Secret`,
        summary:
          which === 'old'
            ? 'Revoke the old one of two valid secrets'
            : 'Undo a rotation: revoke the new one of two valid secrets',
        // If a rotation is undone, the old secret never expires again.
        access: `${permissions}:${which === 'new' ? 'rotate' : 'remove'}`,
        errors: which === 'new' ? ['ERR_ONE_SECRET'] : [],
        status: 204,
        handle: ({ resource, change: changeOptions }) =>
          service.revokeSecret(resource.clientId, which, changeOptions),
      }),
    ),
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
    route<ValueOf<typeof BODIES.NewKey>, undefined, C>({
      ...changed,
      method: 'post',
      path: `${one}/keys`,
      operationId: `add${name}Key`,
      summary: 'Add a public key; secrets and other keys stay valid',
      description:
        'Without `kid`, the id of the key is its thumbprint (RFC 7638). A key that the client already has changes nothing.',
      confirms: `${permissions}:rotate`,
      body: BODIES.NewKey,
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

/** The option that makes a change repeatable, from the header of a request. */
export function repeatOptionsOf({ headers }: Context): CreationOptions {
  const key = headers['idempotency-key']
  return key === undefined ? {} : { idempotencyKey: String(key) }
}

/** The errors of changes of secrets. A public application has no secret. */
export function errorsOfPublic(name: 'ApiKey' | 'Application'): ServiceCode[] {
  return name === 'Application' ? ['ERR_INVALID_ARGUMENT'] : []
}

import type { Context } from 'koa'
import type { Client } from '../../clients/client.ts'
import type { CreationOptions } from '../../clients/client-inputs.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import { ifUnchanged } from '../../clients/if-match.ts'
import type { SecretAge } from '../../clients/secret-rotation.ts'
import type { ValueOf } from '../../validation/rules.ts'
import { route, type Route } from './route.ts'
import { Rotation } from './body-schemas.ts'
import type { ServiceCode } from './openapi-codes.ts'

/** What differs between the secrets of API keys and the secrets of applications. */
interface SecretRoutesOptions<C extends Client> {
  readonly service: Pick<ClientService<C, string, string>, 'listSecrets' | 'rotateSecret' | 'revokeSecret'>
  readonly permissions: 'keys' | 'applications'
  /** The name of the kind, as operation ids contain it. */
  readonly name: 'ApiKey' | 'Application'
  /** The path of the client. */
  readonly one: string
  /** What all routes of a client have in common. */
  readonly common: Pick<Route<undefined, undefined, C>, 'tag' | 'find' | 'target'>
}

/** The routes of the secrets of a client. */
export function secretRoutes<C extends Client>(options: SecretRoutesOptions<C>): Route[] {
  const { service, permissions, name, one, common } = options
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
    route<ValueOf<typeof Rotation>, undefined, C>({
      ...common,
      method: 'post',
      path: `${one}/secrets`,
      operationId: `rotate${name}Secret`,
      summary: 'Create a new secret; the old secret stays valid for a while',
      description:
        'Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.',
      access: `${permissions}:rotate`,
      confirms: `${permissions}:rotate`,
      body: Rotation,
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

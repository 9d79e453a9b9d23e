import { clientNotFound } from '../../clients/client-id.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import type { ClientPresenter } from './add-client-state.ts'
import { BODIES } from './body-schemas.ts'
import { route, type Route } from './route.ts'

/** The routes with which operators set the limits of a client. */
export function limitRoutes(
  { apiKeys, applications }: Pick<Internals, 'apiKeys' | 'applications'>,
  { sendClient }: ClientPresenter,
): Route[] {
  async function serviceOf(clientId: string) {
    if (await apiKeys.find(clientId)) return apiKeys
    if (await applications.find(clientId)) return applications
    throw clientNotFound('API key or application', clientId)
  }

  const common = {
    path: '/operator/clients/{clientId}/limits',
    tag: 'Operators',
    access: 'operator',
    status: 200,
    answer: 'Client',
    errors: ['ERR_NOT_FOUND'],
  } as const
  return [
    route({
      ...common,
      method: 'put',
      operationId: 'setLimits',
      summary: 'Give a client limits of its own, instead of the limits of all clients',
      description: 'A limit that is left out does not apply to the client. At least one limit is needed.',
      body: BODIES.NewLimits,
      errors: ['ERR_NOT_FOUND', 'ERR_INVALID_ARGUMENT'],
      async handle({ ctx, params: { clientId = '' }, body, change }) {
        const service = await serviceOf(clientId)
        return sendClient(ctx, await service.setLimits(clientId, body, change))
      },
    }),
    route({
      ...common,
      method: 'delete',
      operationId: 'removeLimits',
      summary: 'Remove the limits that a client has of its own',
      async handle({ ctx, params: { clientId = '' }, change }) {
        const service = await serviceOf(clientId)
        return sendClient(ctx, await service.setLimits(clientId, null, change))
      },
    }),
  ]
}

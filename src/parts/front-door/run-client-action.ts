import { clientNotFound } from '../../clients/client-id.ts'
import type { Client } from '../../clients/client.ts'
import type {
  ActionCall,
  ActionInput,
  ActionParts,
  ActionRequest,
  ClientAction,
} from './client-action-types.ts'

export const NO_INPUT: ActionInput = {
  changes: {},
  product: '',
  scope: '',
  kid: '',
  key: '',
  userId: null,
  limits: null,
}

type Request = Omit<ActionRequest, 'input'> & { readonly input?: Partial<ActionInput> }

/** Does an action to a client that its owner or an operator has found. */
export async function runAction<Result>(
  { run }: { run(call: ActionCall): Promise<Result> },
  client: Client,
  { parts, caller, change, input }: Request,
  by: ActionCall['by'] = 'owner',
): Promise<Result> {
  const service = client.kind === 'apiKey' ? parts.apiKeys : parts.applications
  const { clientId } = client
  return run({ parts, caller, change, input: { ...NO_INPUT, ...input }, clientId, client, service, by })
}

/** @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function runAsOperator(action: ClientAction, clientId: string, request: Request) {
  if (action.runById) {
    return action.runById({ ...request, input: { ...NO_INPUT, ...request.input }, clientId })
  }
  return runAction(action, await requireClient(request.parts, clientId), request, 'operator')
}

/** Finds a client of any account. @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function requireClient(
  { apiKeys, applications }: Pick<ActionParts, 'apiKeys' | 'applications'>,
  clientId: string,
): Promise<Client> {
  const client = (await apiKeys.find(clientId)) ?? (await applications.find(clientId))
  if (!client) throw clientNotFound(clientId)
  return client
}

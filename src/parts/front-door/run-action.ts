import { clientNotFound } from '../../clients/client-id.ts'
import type { CallLimits } from '../../clients/call-limits.ts'
import type { PublicKeyInput } from '../../clients/jwk-set.ts'
import type { Client } from '../../clients/client.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import type { ConditionalChange } from '../../clients/client-etag.ts'
import type { GatehouseErrorCode } from '../../errors.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { Caller } from './access.ts'
import type { Act } from './key-limits.ts'

/** Parameters and body of a request, or fields of a form. */
export interface ActionInput {
  readonly product: string
  readonly scope: string
  readonly kid: string
  readonly key: PublicKeyInput
  /** null for the account. */
  readonly userId: string | null
  /** null to remove them. */
  readonly limits: CallLimits | null
  readonly overlapSeconds?: number | undefined
  readonly idempotencyKey?: string | undefined
}

export const NO_INPUT: ActionInput = { product: '', scope: '', kid: '', key: '', userId: null, limits: null }

export type ActionParts = Pick<Internals, 'accounts' | 'catalog' | 'tokens' | 'apiKeys' | 'applications'>

export interface ActionRequest {
  readonly parts: ActionParts
  readonly caller: Caller
  readonly change: ConditionalChange
  readonly input: ActionInput
}

export interface ActionCall extends ActionRequest {
  readonly clientId: string
  readonly client: Client
  readonly service: ClientService<Client, string, string>
  readonly by: 'owner' | 'operator'
}

/** The console and the management API narrow these names to those that they know. */
export interface Names {
  readonly text: string
  readonly done: string
  readonly body: string
  readonly answer: string
  readonly error: GatehouseErrorCode
}

/** The path is below that of the client. `*` is `ApiKey` or `Application`. An id is undefined if there is no route. */
export type ActionRoute = readonly [methodAndPath: string, id: string | undefined, idForOperators?: string]

/** Title and text in a list of actions and on the page that asks first. `clients*` is `clientsKey` or `clientsApp`. */
export type ActionTexts<N extends Names = Names> = readonly [
  title: N['text'],
  what: N['text'],
  button: N['text'],
  done?: N['done'],
]

/** The title has the name of the client. */
export interface ActionPage<N extends Names = Names> {
  readonly title: N['text']
  readonly points: readonly N['text'][]
  readonly button: N['text']
}

/** What can be done with a client by its owner, if it has an `act`, and by operators. */
export interface ClientAction<N extends Names = Names> {
  /** `key-limits.ts` says who may do it. */
  readonly act?: Act
  readonly alsoNeeds?: (input: ActionInput) => Act | undefined
  /** A fresh sign-in of an owner. */
  readonly confirms?: { readonly [kind in Client['kind']]?: ConfirmedPermission }
  /** Whether it is about secrets and keys, which a public application does not have. */
  readonly isConfidential?: boolean
  /** The optional part without which there is no such action. */
  readonly part?: 'limits'
  readonly route: ActionRoute
  /** `{client}` is the kind. */
  readonly summary?: string
  readonly operatorSummary?: string
  /** For owners, or for operators if only they have a route. */
  readonly description?: string | Readonly<Record<Client['kind'], string>>
  readonly body?: N['body']
  /** null for none. @default for an owner the changed client, for an operator none */
  readonly answer?: N['answer'] | null
  readonly errors?: readonly N['error'][]
  /** @default whether the answer is the changed client */
  readonly isConditional?: boolean
  /** Where the new thing can be read. A request with a location may be repeated with an `Idempotency-Key`. */
  readonly location?: string
  /** A change without a question has only the notice of what was done. */
  readonly texts?: ActionTexts<N> | ((client: Client) => ActionTexts<N>)
  readonly operatorTexts?: ActionTexts<N>
  readonly done?: N['done']
  /** Further paragraphs of the page that asks. */
  readonly more?: readonly N['text'][]
  /** The page that asks first, if it has a path of its own below the page of the client. */
  readonly page?: (client: Client) => ActionPage<N>
  /** Whether a button suffices, because nothing is lost. */
  readonly asksNothing?: boolean
  /** Whether the row of the action is shown. @default always */
  readonly isRowShown?: (client: Client, by: ActionCall['by']) => boolean
  /** Whether a form that an old tab sends has nothing left to do. */
  readonly isDone?: (client: Client, request: ActionRequest) => boolean
  /** Whether operators may do it to a deleted or corrupt client too. `run` then reads only its id. */
  readonly worksWithoutClient?: boolean
  readonly run: (call: ActionCall) => Promise<unknown>
}

/** Does an action to a client that its owner or an operator has found. */
export async function runAction<Result>(
  { run }: { run(call: ActionCall): Promise<Result> },
  client: Client,
  { parts, caller, change, input }: ActionRequest,
  by: ActionCall['by'] = 'owner',
): Promise<Result> {
  const { clientId, kind } = client
  const service = kind === 'apiKey' ? parts.apiKeys : parts.applications
  return run({ parts, caller, change, input, clientId, client, service, by })
}

/** @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function runAsOperator(
  action: Pick<ClientAction, 'run' | 'worksWithoutClient'>,
  clientId: string,
  request: ActionRequest,
): Promise<unknown> {
  const absent = action.worksWithoutClient && ({ clientId } as Client)
  return runAction(action, absent || (await requireClient(request.parts, clientId)), request, 'operator')
}

/** Finds a client of any account. @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function requireClient(
  { apiKeys, applications }: Pick<ActionParts, 'apiKeys' | 'applications'>,
  clientId: string,
): Promise<Client> {
  const client = (await apiKeys.find(clientId)) ?? (await applications.find(clientId))
  if (!client) throw clientNotFound('API key or application', clientId)
  return client
}

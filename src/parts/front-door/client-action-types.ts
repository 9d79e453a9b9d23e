import type { CallLimits } from '../../clients/call-limits.ts'
import type { PublicKeyInput } from '../../clients/jwk-set.ts'
import type { Client, ClientChanges } from '../../clients/client.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import type { ConditionalChange } from '../../clients/client-etag.ts'
import type { GatehouseErrorCode } from '../../errors.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { Caller } from './access.ts'
import type { Act } from './permissions-on-clients.ts'

/** What an action gets from its caller: parameters and body of a request, or fields of a form. */
export interface ActionInput {
  readonly changes: ClientChanges
  readonly product: string
  readonly scope: string
  readonly kid: string
  readonly key: PublicKeyInput
  /** null for the account. */
  readonly userId: string | null
  readonly limits: CallLimits | null
  readonly overlapSeconds?: number | undefined
  readonly idempotencyKey?: string | undefined
}

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

/** Of the row on the page of a client, and of the question. `clients*` is `clientsKey` or `clientsApp`. */
export interface ActionTexts<N extends Names = Names> {
  readonly title?: N['text']
  readonly what?: N['text']
  /** Further paragraphs of the question. */
  readonly more?: readonly N['text'][]
  readonly button?: N['text']
  readonly done?: N['done']
}

/** A question with a path of its own below the page of the client, whose name is in the title. */
export interface QuestionPage<N extends Names = Names> {
  readonly title: N['text']
  readonly points: readonly N['text'][]
  readonly button: N['text']
  readonly isDanger: boolean
  /** What the person types before the button: the name of the client, or the new owner. */
  readonly typed?: 'name' | 'newOwner'
}

interface Side<N extends Names> {
  /** `*` is `ApiKey` or `Application`. */
  readonly operationId: string
  /** `{client}` is the kind. */
  readonly summary: string
  /** The name of a schema, if it is neither. @default 'changedClient' */
  readonly answer?: 'changedClient' | 'none' | N['answer']
}

interface OwnerSide<N extends Names> extends Side<N> {
  /** `*Changes` is `ApiKeyChanges` or `ApplicationChanges`. */
  readonly body?: N['body'] | '*Changes'
  /** `permissions-on-clients.ts` says who may do it. */
  readonly act: Act
  /** What this input needs beside `act`. */
  readonly alsoNeeds?: (input: ActionInput, client: Client) => Act | undefined
  readonly freshSignIn?: { readonly [kind in Client['kind']]?: ConfirmedPermission }
  readonly description?: string | Readonly<Record<Client['kind'], string>>
  readonly errors?: readonly N['error'][]
  /** @default whether the answer is the changed client */
  readonly isConditional?: boolean
  /** Where the new thing can be read. A request with a location may be repeated with an `Idempotency-Key`. */
  readonly location?: string
  /** Undefined if the page of the client has no form for it. */
  readonly texts?: ActionTexts<N> | ((client: Client) => ActionTexts<N>)
  /** What comes before it. A panel of the console adds a `form`. @default 'question' */
  readonly asks?: 'nothing' | 'question' | 'form' | ((client: Client) => QuestionPage<N>)
}

interface OperatorSide<N extends Names> extends Side<N> {
  readonly body?: N['body']
  readonly description?: string
  readonly texts?: ActionTexts<N>
  readonly asks?: 'nothing' | 'question'
}

interface ForBoth<N extends Names> {
  /** Below the path of the client. */
  readonly path: `${'get' | 'post' | 'put' | 'patch' | 'delete'} ${string}`
  readonly operator?: OperatorSide<N>
  /** It is about secrets and keys, which a public application does not have. */
  readonly needsCredentials?: boolean
  /** The optional part without which there is no such action. */
  readonly part?: 'limits'
  /** @default always */
  readonly isRowShown?: (client: Client, by: ActionCall['by'], caller: Caller) => boolean
  /** Whether a form that an old tab sends has nothing left to do. */
  readonly isDone?: (client: Client, request: ActionRequest) => boolean
}

/** With `runById`, operators may do it to a deleted or corrupt client too. */
type Runs<N extends Names> =
  | {
      readonly owner?: OwnerSide<N>
      readonly run: (call: ActionCall) => Promise<unknown>
      readonly runById?: undefined
    }
  | {
      readonly owner?: undefined
      readonly run?: undefined
      readonly runById: (call: ActionRequest & Pick<ActionCall, 'clientId'>) => Promise<unknown>
    }

/** What can be done with a client by its owner, by operators, or by both. */
export type ClientAction<N extends Names = Names> = ForBoth<N> & Runs<N>

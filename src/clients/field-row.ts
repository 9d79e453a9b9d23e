import type { Catalog } from '../catalog/catalog.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import type { Rule } from '../validation/rules.ts'
import type {
  ApiKey,
  Application,
  ApplicationChanges,
  Client,
  NewApiKey,
  NewApplication,
  NewClient,
} from './client.ts'
import type { KeyPolicy } from './expiry-policy.ts'

/** Input for a new client, not validated yet, and what else its rules depend on. */
export interface Creation {
  readonly kind: Client['kind']
  readonly input: Readonly<Record<string, unknown>>
  readonly catalog: Catalog
  readonly keyPolicy: KeyPolicy
}

/** Where the console has inputs: in the settings of API keys and of applications, or in the restrictions of both. */
export type FieldForm = 'client' | 'signIn' | 'appearance' | 'restrictions'

export interface Field<Text extends string = string> {
  /** The rule in a stored record. Without it, records do not have the field. */
  readonly inRecord?: Rule
  /** The rule in an answer of the management API. Without it, answers do not have the field. */
  readonly inAnswer?: Rule
  /** The rule in bodies of the management API. @default `inAnswer` */
  readonly inBody?: Rule
  /** The rule in an exported file. It must not quote the value. @default `rule`, or else `inRecord` */
  readonly inFile?: Rule
  /** Whether every client has it, and its creator gives it. */
  readonly isRequired?: boolean
  /** Its value in a new client, if none is given. Every client has it. */
  readonly byDefault?: unknown
  /** Who sets it: code alone, at the creation; also the API, at the creation; or also a later change. */
  readonly setBy?: 'code' | 'creation' | 'change'
  /** The rule of input. */
  readonly rule?: Rule
  /** In place of `rule`, for a new client. */
  readonly ruleAtCreation?: (creation: Creation) => Rule
  /** In place of `rule`, for a change. */
  readonly ruleInChange?: (keyPolicy: KeyPolicy) => Rule
  /** Whether null removes it in a change. */
  readonly isRemovable?: boolean
  /** Its descriptions in the OpenAPI document. */
  readonly openApi?: { readonly creation?: string; readonly change?: string; readonly answer?: string }
  /** Whether a change to this value revokes the tokens issued so far. @param tokensEnd when the last has expired */
  readonly revokesTokens?: (before: Client, after: unknown, tokensEnd: number) => boolean
  /** The text of the console that names it. */
  readonly label?: Text
  readonly input?: {
    readonly type: 'text' | 'url' | 'lines' | 'date'
    readonly maxLength?: number
    /** The text above the input. @default `label` */
    readonly label?: Text
    /** The hint in each form. Clients without a hint do not have the input. */
    readonly forms: {
      readonly [Form in FieldForm]?: Text | { readonly [Of in Client['kind'] | 'public']?: Text }
    }
  }
}

/** What only answers have, or only the input for a new client. */
type Unstored = 'lastUsedAt' | 'noToken' | 'knownToFormer' | 'keys' | 'secretHash'

type Given = Exclude<keyof NewApiKey | keyof NewApplication, keyof ChangeOptions> | 'secretHash' | 'jwks'

type OfBoth = (keyof ApiKey & keyof Application) | keyof NewClient
export type FieldOfBoth =
  | Exclude<OfBoth, 'kind' | 'noSecret' | 'secretShownTo' | 'secretHint' | keyof ChangeOptions>
  | Unstored

/** What a row of `client-fields.ts` may have. The compiler compares the table with the types of clients. */
export type FieldsOf<Names extends string> = {
  readonly [Name in Names]: Field &
    (Name extends Unstored ? { readonly inRecord?: never } : { readonly inRecord: Rule }) &
    (Name extends keyof ApplicationChanges
      ? { readonly setBy: 'change' }
      : Name extends Given
        ? { readonly setBy: 'code' | 'creation' }
        : { readonly setBy?: never })
}

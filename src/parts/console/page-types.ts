import type { Access, Guarded, Visit } from '../front-door/access.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { Person } from '../../host/subject.ts'
import type { Form } from '../../http/form-body.ts'
import type { Html } from '../../http/html.ts'
import type { FormProblem } from './problem-texts.ts'
import type { Reader } from './reader-formats.ts'
import type { TextName } from './texts.ts'

/** The parts of the console. Each part is one entry of the navigation, but `clientDocuments` belongs to `operator`. */
export type Section =
  | 'overview'
  | 'apiKeys'
  | 'applications'
  | 'connected'
  | 'usage'
  | 'activity'
  | 'operator'
  | 'clientDocuments'
  | 'inspector'

/** One request that was checked: the caller may make it, and its form came from one of our pages. */
export interface Call<Resource = undefined> extends Visit<Resource> {
  /** The parameters of the query. A repeated parameter is undefined. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly form: Form
  readonly texts: Reader
  /** The token that every form must send, in its field `csrf`. Reading it sets the cookie of the browser. */
  readonly csrfToken: string
  /** Why the submitted form was rejected; empty if it was not. The page shows the form again. */
  readonly problems: readonly FormProblem[]
  /** The address of this page, to which its forms are sent. */
  readonly self: string
  /** The address of a page of the console. @param path the path of the page, such as `/api-keys/new` */
  to(path: string, query?: Readonly<Record<string, string | undefined>>): string
  /** Whether the account has an API key or application. True if the navigation of the page does not depend on it. */
  readonly isDeveloper: Promise<boolean>
  /** Whether a part is mounted here and visible to this caller. Link only to such a part. */
  has(section: Section): boolean
}

/** What most markup needs of a call. */
export type Texts = Pick<Call, 'texts'>

/** What the fields of a form need of a call. */
export type FormState = Pick<Call, 'form' | 'problems' | 'texts'>

export interface View {
  readonly title: string
  /** The links to the pages above this page. Notices of what was done, and problems, come below these links. */
  readonly trail?: Html | undefined
  readonly body: Html
  /** Who is signed in; undefined on pages of errors. */
  readonly caller?: Person | undefined
  readonly status?: number | undefined
  readonly images?: readonly (string | undefined)[] | undefined
  /** Whether the page shows another page of the console in an `iframe`. @default false */
  readonly hasFrame?: boolean | undefined
}

export interface Redirect {
  /** The path of a page. @default the page whose form was sent */
  readonly redirect?: string | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  /** The notice that the next page shows: what was done. */
  readonly done?: (TextName & `done${string}`) | undefined
}

/** The page of an action that has a page of its own: what the action does, and a form. */
export interface Confirmation {
  readonly title: TextName
  readonly what: TextName
  /** The name of what the action changes, and its use or what it has. */
  readonly use?: Html | undefined
  /** What else the reader should know, as paragraphs. */
  readonly more?: readonly TextName[] | undefined
  readonly button: TextName
  /** @default whether the action has no fields of its own */
  readonly isDanger?: boolean | undefined
  readonly values?: Readonly<Record<string, string | number>> | undefined
  readonly trail?: Html | undefined
}

/** What a form does; its field `action` names the action. After an error about the input, the page is shown again. */
export interface Action<Resource = undefined> {
  readonly access: Access
  /** By a fresh sign-in, if the host demands it: before the page of the action and `run`. @default the page's */
  readonly freshSignIn?: ConfirmedPermission | undefined
  /** The page that asks for confirmation. `confirmLink` leads to it, so the action needs a second click. */
  readonly confirm?: ((call: Call<Resource>) => Confirmation | Promise<Confirmation>) | undefined
  /** The fields of the form on the page of the action. @default the fields of the link, hidden */
  readonly fields?: ((call: Call<Resource>) => Html | Promise<Html>) | undefined
  run(call: Call<Resource>): Promise<View | Redirect>
}

export interface Page<Resource = undefined> extends Guarded<Resource> {
  /** Path below the console, with parameters after colons: `/api-keys/:clientId`. */
  readonly path: string
  readonly section: Section
  /** The fresh sign-in that a page with the form of only one act needs: before the page, and before its actions. */
  readonly freshSignIn?: ConfirmedPermission | undefined
  /** Writes the page, or leads to another one. Undefined if the page has written the response itself. */
  show(call: Call<Resource>): Promise<View | Redirect | undefined>
  readonly actions?: { readonly [name: string]: Action<Resource> } | undefined
}

/** Adds a page to the table. `find` gives the type of its resource. */
export function page<Resource = undefined>(definition: Page<Resource>): Page {
  // Only `createPageHandler` calls the functions, with the result of the same page's `find`.
  return definition as unknown as Page
}

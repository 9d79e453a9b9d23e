import type { Client } from '../../clients/client.ts'
import type { SecretInfo } from '../../clients/client-service-types.ts'
import type { Html } from '../../http/html.ts'
import type { Call, Page, Redirect } from '../page.ts'
import type { TextName } from '../texts.ts'
import { pathOf, type ClientKind } from './client-kind.ts'

/** A part of the page of a client, with the forms in it. */
export interface ClientPanel {
  /** @param secrets the valid secrets, newest first. Undefined leaves the panel out */
  show(call: Call<Client>, secrets: readonly SecretInfo[]): Promise<Html | undefined>
  readonly actions: NonNullable<Page<Client>['actions']>
}

/** Back to the page of the client, with a notice of what was done. */
export function backTo(kind: ClientKind, client: Client, done?: TextName & `done${string}`): Redirect {
  return { redirect: pathOf(kind, client), done }
}

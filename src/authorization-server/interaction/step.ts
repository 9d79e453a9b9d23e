import type { Context } from 'koa'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import type { Pages } from './pages.ts'
import type { InteractionPort, PendingInteraction } from './port.ts'

/** The dependencies of the interaction. */
export interface InteractionOptions {
  readonly port: InteractionPort
  readonly accounts: HostAccounts
  readonly catalog: CurrentCatalog
  readonly pages: Pages
  /** {auth_url}, without a trailing slash. */
  readonly issuer: string
  /** At least 32 bytes each, newest first, the same in all processes. */
  readonly csrfKeys: readonly Uint8Array[]
  /** Limit for an interaction, and for an identifier from one address. */
  readonly signInAttempts: { readonly max: number; readonly windowSeconds: number }
}

/** The result of a step: undefined if it wrote a page, or the address to which the browser continues. */
export type StepResult = URL | undefined

/** One step of an interaction. */
export type Step = (ctx: Context, pending: PendingInteraction) => Promise<StepResult>

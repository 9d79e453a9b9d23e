import type { createConsentPreview } from '../authorization-server/interaction/consent-preview.ts'
import type { Usage } from '../usage/usage.ts'
import type { Internals } from '../gatehouse/internals.ts'

/** The services that the pages of the console use. */
export interface ConsoleServices extends Internals {
  /** Undefined if the host counts no usage. */
  readonly usage: Usage | undefined
  /** Writes the consent page of an application as the response. */
  readonly previewConsent: ReturnType<typeof createConsentPreview>
}

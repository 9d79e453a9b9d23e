import type { createConsentPreview } from '../authorization-server/interaction/consent-preview.ts'
import type { Internals } from '../gatehouse/internals.ts'

/** The services that the pages of the console use. */
export interface ConsoleServices extends Internals {
  /** Writes the consent page of an application as the response. */
  readonly previewConsent: ReturnType<typeof createConsentPreview>
}

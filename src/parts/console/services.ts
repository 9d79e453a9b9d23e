import type { createConsentPreview } from '../../authorization-server/interaction/consent-preview.ts'
import type { Limits } from '../limits/limits.ts'
import type { Usage } from '../usage/usage-types.ts'
import type { Internals } from '../../gatehouse/internals.ts'

/** The services that the pages of the console use. */
export interface ConsoleServices extends Internals {
  /** Undefined if the host counts no usage. */
  readonly usage: Usage | undefined
  /** Undefined if the host limits no calls. */
  readonly limits: Limits | undefined
  readonly documentationUrl: string | undefined
  readonly previewConsent: ReturnType<typeof createConsentPreview>
}

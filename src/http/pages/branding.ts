/** The default of the option `branding.accentColor`. */
export const DEFAULT_ACCENT_COLOR = '#1a56db'

/** The branding of the host's service, with its defaults. */
export interface PageBranding {
  readonly name: string
  /** An `https:` address, or a path on the issuer's own origin. */
  readonly logo?: string | undefined
  /** `#rrggbb` */
  readonly accentColor: string
}

/** How the pages look. */
export interface Branding {
  /** Name of the host's service. @default the host name of `issuer` */
  readonly name?: string | undefined
  /** Address of a logo, `https:` or a path on the issuer's own origin. */
  readonly logo?: string | undefined
  /**
   * Accent colour of buttons and links as `#rrggbb`. Text on this colour is black or white, whichever is
   * easier to read.
   * @default '#1a56db'
   */
  readonly accentColor?: string | undefined
}

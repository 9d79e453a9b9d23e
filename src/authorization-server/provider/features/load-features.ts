import type * as privateKeyJwt from './private-key-jwt.ts'
import type { Cors, CorsParts } from './cors.ts'

/** What options switch on. A module that is not needed is not loaded. */
export interface Features {
  /** The rules for pages at other origins; undefined without `publicApplications`. */
  readonly cors: Cors | undefined
  /** Undefined without `privateKeyJwt`. */
  readonly privateKeyJwt: typeof privateKeyJwt | undefined
}

/** Loads the features that the options switch on. */
export async function loadFeatures(
  parts: CorsParts & {
    readonly settings: { readonly publicApplications: boolean; readonly privateKeyJwt: boolean }
  },
): Promise<Features> {
  const { settings } = parts
  const [cors, assertions] = await Promise.all([
    settings.publicApplications ? import('./cors.ts') : undefined,
    settings.privateKeyJwt ? import('./private-key-jwt.ts') : undefined,
  ])
  return { cors: cors?.createCors(parts), privateKeyJwt: assertions }
}

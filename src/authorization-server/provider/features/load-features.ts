import type { DocumentResolver } from '../../../clients/documents/resolve-document.ts'
import type * as privateKeyJwt from './private-key-jwt.ts'
import type { Cors, CorsParts } from './cors.ts'

export interface Features {
  /** Undefined without public clients. */
  readonly cors: Cors | undefined
  /** Undefined if no client may authenticate with keys. */
  readonly privateKeyJwt: typeof privateKeyJwt | undefined
  /** Undefined without `clientDocuments`. */
  readonly documents: Pick<DocumentResolver, 'resolve'> | undefined
}

/** Loads the features that the options switch on. */
export async function loadFeatures(
  parts: CorsParts & {
    readonly settings: { readonly publicClients: boolean; readonly clientKeys: boolean }
    readonly documents: (() => Promise<DocumentResolver>) | undefined
  },
): Promise<Features> {
  const { settings } = parts
  const [cors, assertions, documents] = await Promise.all([
    settings.publicClients ? import('./cors.ts') : undefined,
    settings.clientKeys ? import('./private-key-jwt.ts') : undefined,
    parts.documents?.(),
  ])
  return { cors: cors?.createCors(parts), privateKeyJwt: assertions, documents }
}

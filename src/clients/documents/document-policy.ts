import type { Fault } from '../../errors.ts'

/** Which clients with a metadata document may ask users for access, and for what. */
export interface DocumentPolicy {
  /**
   * The addresses of the documents: one address, or the beginning of addresses with a `*` at its end, such as
   * `https://claude.ai/*`. Only `https://*` covers every host.
   */
  readonly match: string
  /** Ids of the products for whose operations the clients may ask, at least one. */
  readonly products: readonly string[]
  /**
   * The KYC level of the clients, as that of a developer: it bounds their operations. @default the lowest level of
   * `kycLevels`
   */
  readonly kycLevel?: string | undefined
  /**
   * `verified` if you know that the host of the documents names its clients correctly. Otherwise the consent page
   * says that the client calls itself by its name. Not allowed with `https://*`. @default not verified
   */
  readonly name?: 'verified' | undefined
  /**
   * Whether the clients may run on the computer of the user, with redirects to it (`http://localhost`,
   * `http://127.0.0.1`, `http://[::1]`, with any port). Every program on that computer can pretend to be such a
   * client, so the consent page warns. @default false
   */
  readonly loopback?: boolean | undefined
}

const EVERY_HOST = 'https://*'

/** Which documents the option `clientDocuments` covers: what is wrong with a pattern; undefined if it is valid. */
export function findPatternProblem(pattern: unknown): Fault | undefined {
  if (typeof pattern !== 'string') return { code: 'type', message: 'must be a text' }
  if (pattern === EVERY_HOST) return undefined
  const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern
  const url = URL.parse(prefix)
  const isWhole = url?.protocol === 'https:' && url.href === prefix && !prefix.includes('*')
  const hasPath = prefix !== pattern || url?.pathname !== '/'
  if (isWhole && hasPath && url.username === '' && url.password === '' && url.hash === '') return undefined
  return {
    code: 'format',
    message: `must be the address of a document, a beginning with a * at its end such as 'https://claude.ai/*', or '${EVERY_HOST}'`,
  }
}

export function coversEveryHost(pattern: unknown): boolean {
  return pattern === EVERY_HOST
}

/** The first policy that matches counts. @param clientId the address of the document */
export function findPolicy(policies: readonly DocumentPolicy[], clientId: string) {
  return policies.find(({ match }) =>
    match.endsWith('*') ? clientId.startsWith(match.slice(0, -1)) : clientId === match,
  )
}

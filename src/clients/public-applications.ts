import { collectProblems, GatehouseError, type Fault, type Problem } from '../errors.ts'
import { findRedirectUriProblem, redirectKindOf } from './application-uris.ts'
import type { Application, Client } from './client.ts'
import { documentOf } from './documents/document-application.ts'

type Checked = Pick<
  Application,
  'isPublic' | 'firstParty' | 'redirectUris' | 'postLogoutRedirectUris' | 'origins'
>

/** Checks what depends on whether an application is public. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export function requireConsistent(application: Checked): void {
  const problems = collectProblems(
    'ERR_INVALID_ARGUMENT',
    'the fields of the application do not fit together',
    findInconsistencies(application),
  )
  problems.throwIfAny()
}

export function isConsistent(application: Checked): boolean {
  return findInconsistencies(application).length === 0
}

function findInconsistencies(application: Checked): Problem[] {
  if (application.isPublic) {
    const isSilent = application.firstParty && !application.redirectUris.every(isHttps)
    return isSilent ? [{ path: 'firstParty', ...NOT_SILENT }] : []
  }
  const problems = (['redirectUris', 'postLogoutRedirectUris'] as const).flatMap((name) =>
    application[name].flatMap((uri, index) => {
      const problem = findRedirectUriProblem(uri)
      return problem ? { path: `${name}[${index}]`, ...problem } : []
    }),
  )
  return application.origins ? [...problems, { path: 'origins', ...ONLY_PUBLIC }] : problems
}

function isHttps(uri: string): boolean {
  return redirectKindOf(uri) === 'https'
}

const NOT_SILENT: Fault = {
  code: 'first-party',
  message:
    'is possible for a public application only if all its redirect URIs begin with "https://": any program on a computer can use the other ones, and would get access without a question',
}

const ONLY_PUBLIC: Fault = {
  code: 'not-allowed',
  message: 'is possible only for a public application: all others keep their secret on a server',
}

/** Even after an approval: any program can send the request (RFC 8252 8.6), or no developer is known. */
export function alwaysAsks(application: Application, redirectUri: string): boolean {
  if (documentOf(application)) return true
  return application.isPublic === true && redirectKindOf(redirectUri) !== 'https'
}

/** The origins whose pages may call the token endpoint. */
export function originsOf({ isPublic, redirectUris, origins = [] }: Checked): string[] {
  if (!isPublic) return []
  const own = redirectUris.filter(isHttps).map((uri) => new URL(uri).origin)
  return [...new Set([...own, ...origins])]
}

export function isPublicClient(client: Client): boolean {
  return client.kind === 'application' && client.isPublic === true
}

/** Rejects a public application, which has no secret. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export function requireConfidential(client: Client): void {
  if (!isPublicClient(client)) return
  const message = 'this is a public application: it cannot keep a secret or a private key, so it has none'
  throw new GatehouseError('ERR_INVALID_ARGUMENT', message)
}

/** Where the console, one of its parts, or the management API is mounted. The root is `''` or `'/'`. */
export interface MountOptions {
  /** Path of the console or the management API, as browsers and clients see it. */
  readonly path: string
  /** Path at which the host's app receives the requests. @default `path` */
  readonly mountPath?: string | undefined
}

/** The paths of the console or the management API, without a trailing slash; `''` for the root. */
export function pathsOf({ path, mountPath = path }: MountOptions) {
  const ofRoot = (each: string): string => (each === '/' ? '' : each)
  return { path: ofRoot(path), mountPath: ofRoot(mountPath) }
}

/** Why a path is not a valid mount path; undefined if it is valid. The root is written `''` or `'/'`. */
export function mountPathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string') return "must be a path such as '/auth', or '' for the root"
  if (path === '' || path === '/') return undefined
  if (!path.startsWith('/')) return 'must start with /'
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') return 'must not end with a slash'
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'must not have the segment . or ..'
  return segments.every((segment) => /^[A-Za-z0-9._~-]+$/.test(segment))
    ? undefined
    : 'must be made of segments of letters, digits and . _ ~ -'
}

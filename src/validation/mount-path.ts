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

import type { Page, Section } from './page.ts'

/** Where pages of the console are mounted, and which. */
export type Mount = ReturnType<typeof createMount>

/**
 * Mounts pages at a path.
 *
 * @param path path in the host's app, without a trailing slash
 * @param pages the pages
 * @param base the path in the console that the mount replaces: `/api-keys` for a part that is mounted alone
 */
export function createMount(path: string, pages: readonly Page[], base = '') {
  const sections = new Set(pages.map(({ section }) => section))
  const root = path === '/' ? '' : path

  /** The path of a page below the path of the mount. */
  function below(pagePath: string): string {
    const rest = pagePath === base || pagePath.startsWith(`${base}/`) ? pagePath.slice(base.length) : pagePath
    return rest === '' ? '/' : rest
  }

  return {
    /** Path in the host's app, without a trailing slash; `''` is the root. */
    path: root,
    pages,
    below,
    /** The address of a page, for links and forms. */
    to(pagePath: string, query: Readonly<Record<string, string | undefined>> = {}): string {
      const rest = below(pagePath)
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
      const text = search.toString()
      return (root + (rest === '/' ? '' : rest) || '/') + (text && `?${text}`)
    },
    /** Whether the pages of a part are mounted. */
    has: (section: Section): boolean => sections.has(section),
  }
}

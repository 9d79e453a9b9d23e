import { pathsOf, type MountOptions } from '../../validation/mount-path.ts'
import type { Page, Section } from './page-types.ts'

/** Some pages of the console, and the path at which they are mounted. */
export type Mount = ReturnType<typeof createMount>

/**
 * Mounts pages at a path.
 *
 * @param options where browsers see the pages, and where the app receives the requests
 * @param pages the pages
 * @param base the path in the console that the mount replaces: `/api-keys` for a part that is mounted alone
 */
export function createMount(options: MountOptions, pages: readonly Page[], base = '') {
  const sections = new Set(pages.map(({ section }) => section))
  const { path, mountPath } = pathsOf(options)

  /** The path of a page below the path of the mount. */
  function below(pagePath: string): string {
    const rest = pagePath === base || pagePath.startsWith(`${base}/`) ? pagePath.slice(base.length) : pagePath
    return rest === '' ? '/' : rest
  }

  /** The address of a path below the path of the mount. */
  const address = (rest: string): string => path + (rest === '/' ? '' : rest) || '/'

  return {
    /** Path as browsers see it, without a trailing slash; `''` is the root. */
    path,
    /** Path at which the host's app receives the requests, in the same form. */
    mountPath,
    pages,
    below,
    address,
    /** The address of a page, for links and forms. */
    to(pagePath: string, query: Readonly<Record<string, string | undefined>> = {}): string {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
      const text = search.toString()
      return address(below(pagePath)) + (text && `?${text}`)
    },
    /** Whether the pages of a part are mounted. */
    has: (section: Section): boolean => sections.has(section),
  }
}

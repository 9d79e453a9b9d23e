import { pathsOf, type MountOptions } from '../../validation/mount-path.ts'
import type { Page, Section } from './page-types.ts'

type Query = Readonly<Record<string, string | undefined>>

export function withQuery(address: string, query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  const text = search.toString()
  return address + (text && `?${text}`)
}

export type Mount = ReturnType<typeof createMount>

/** Mounts pages at a path. @param base the path in the console that a part that is mounted alone replaces */
export function createMount(options: MountOptions, pages: readonly Page[], base = '') {
  const sections = new Set(pages.map(({ section }) => section))
  const { path, mountPath } = pathsOf(options)

  function below(pagePath: string): string {
    const rest = pagePath === base || pagePath.startsWith(`${base}/`) ? pagePath.slice(base.length) : pagePath
    return rest === '' ? '/' : rest
  }

  const address = (rest: string): string => path + (rest === '/' ? '' : rest) || '/'

  return {
    /** As browsers see it, without a trailing slash; `''` is the root. */
    path,
    /** As the host's app receives it, in the same form. */
    mountPath,
    pages,
    below,
    address,
    to: (pagePath: string, query: Query = {}): string => withQuery(address(below(pagePath)), query),
    has: (section: Section): boolean => sections.has(section),
  }
}

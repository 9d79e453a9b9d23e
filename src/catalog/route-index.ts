import { foldCase, type Segment } from './route.ts'

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  value: T | undefined
}

/** Finds what belongs to a method and a path, by walking the path's segments and nothing else. */
export interface RouteIndex<T> {
  /**
   * Puts a value at a route.
   *
   * @returns what is there already, which stays; undefined if the place was free
   */
  add(method: string, segments: readonly Segment[], value: T): T | undefined
  /** @param path decoded, starting with `/`; compared as literal text but for ASCII case and one trailing slash */
  find(method: string, path: string): T | undefined
}

/**
 * An index of routes: a tree of segments.
 *
 * Routers made for URLs do more than is safe here: they decode percent signs, cut at `?`, lower-case beyond
 * ASCII, or let a parameter be empty. A path that reaches the gateway is decoded already, and a second
 * reading of it could match an operation that the host's router does not run.
 */
export function createRouteIndex<T extends object>(): RouteIndex<T> {
  const methods = new Map<string, Node<T>>()
  return {
    add(method, segments, value) {
      let node = methods.get(method) ?? emptyNode<T>()
      methods.set(method, node)
      for (const segment of segments) node = child(node, segment)
      if (node.value !== undefined) return node.value
      node.value = value
      return undefined
    },
    find(method, path) {
      const root = methods.get(method)
      if (root === undefined || !path.startsWith('/')) return undefined
      const segments = foldCase(path).slice(1).split('/')
      if (segments.at(-1) === '') segments.pop()
      return walk(root, segments, 0)
    },
  }
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), parameter: undefined, value: undefined }
}

function child<T>(node: Node<T>, segment: Segment): Node<T> {
  if ('parameter' in segment) return (node.parameter ??= emptyNode<T>())
  const next = node.literals.get(segment.literal) ?? emptyNode<T>()
  node.literals.set(segment.literal, next)
  return next
}

/** The written segment first; where that way ends without a route, the parameter. As deep as the tree. */
function walk<T>(node: Node<T>, segments: readonly string[], at: number): T | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.value
  if (segment === '') return undefined
  const literal = node.literals.get(segment)
  const found = literal === undefined ? undefined : walk(literal, segments, at + 1)
  if (found !== undefined) return found
  return node.parameter === undefined ? undefined : walk(node.parameter, segments, at + 1)
}

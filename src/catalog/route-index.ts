import { foldText, isAscii } from './fold-text.ts'
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
  /**
   * What every router finds, whether it folds letters beyond ASCII or not; undefined where they find nothing or
   * disagree.
   *
   * @param path decoded, starting with `/`; compared as literal text but for letter case and one trailing slash
   */
  find(method: string, path: string): T | undefined
  /** Everything that any router finds: two values where those that fold disagree with those that do not. */
  findAll(method: string, path: string): readonly T[]
}

/**
 * An index of routes: a tree of segments, as they are written, and another one for routers that fold Unicode.
 *
 * Routers made for URLs do more than is safe here: they decode percent signs, cut at `?`, lower-case beyond
 * ASCII, or let a parameter be empty. A path that reaches the gateway is decoded already, and a second
 * reading of it could match an operation that the host's router does not run.
 */
export function createRouteIndex<T extends object>(): RouteIndex<T> {
  const written = createTree<T>(foldCase)
  const folded = createTree<T>(foldText)
  /** Whether a path of ASCII characters may match a route that has others: `/strasse` and `/straße`. */
  let foldsToAscii = false

  return {
    add(method, segments, value) {
      const there = folded.add(method, segments, value)
      if (there !== undefined) return there
      foldsToAscii ||= segments.some(
        (s) => 'literal' in s && !isAscii(s.literal) && isAscii(foldText(s.literal)),
      )
      return written.add(method, segments, value)
    },
    find(method, path) {
      const found = written.find(method, path)
      if (!foldsToAscii && isAscii(path)) return found
      return found === folded.find(method, path) ? found : undefined
    },
    findAll(method, path) {
      const found = new Set([written.find(method, path), folded.find(method, path)])
      return [...found].filter((value) => value !== undefined)
    },
  }
}

/** @param fold what a path and the literals of routes go through before they are compared */
function createTree<T>(fold: (text: string) => string) {
  const methods = new Map<string, Node<T>>()
  return {
    add(method: string, segments: readonly Segment[], value: T): T | undefined {
      let node = methods.get(method) ?? emptyNode<T>()
      methods.set(method, node)
      for (const segment of segments) node = child(node, segment, fold)
      if (node.value !== undefined) return node.value
      node.value = value
      return undefined
    },
    find(method: string, path: string): T | undefined {
      const root = methods.get(method)
      if (root === undefined || !path.startsWith('/')) return undefined
      const segments = fold(path).slice(1).split('/')
      if (segments.at(-1) === '') segments.pop()
      return walk(root, segments, 0)
    },
  }
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), parameter: undefined, value: undefined }
}

function child<T>(node: Node<T>, segment: Segment, fold: (text: string) => string): Node<T> {
  if ('parameter' in segment) return (node.parameter ??= emptyNode<T>())
  const literal = fold(segment.literal)
  const next = node.literals.get(literal) ?? emptyNode<T>()
  node.literals.set(literal, next)
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

import { foldText, isAscii } from './fold-text.ts'
import { foldCase, type Segment } from './route.ts'

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  value: T | undefined
}

const UPPER_CASE = /[A-Z]/

/** Finds what belongs to a method and a path, by walking the path's segments and nothing else. */
export interface RouteIndex<T> {
  /**
   * Puts a value at a route.
   *
   * @returns what is there already, which stays; undefined if the place was free
   */
  add(method: string, segments: readonly Segment[], value: T): T | undefined
  /**
   * What every router finds, whether it folds all letters, those of ASCII or none; undefined where they find nothing
   * or disagree. A router that tells letter case apart and finds nothing does not count.
   *
   * @param path decoded, starting with `/`; compared as literal text but for letter case and one trailing slash
   */
  find(method: string, path: string): T | undefined
  /** Everything that any router finds: several values where those that fold letters disagree with those that do not. */
  findAll(method: string, path: string): readonly T[]
}

/**
 * An index of routes: a tree of segments for routers that fold the letters of ASCII, one for those that fold Unicode, and
 * one for those that tell letter case apart.
 *
 * Routers made for URLs do more than is safe here: they decode percent signs, cut at `?`, lower-case beyond
 * ASCII, or let a parameter be empty. A path that reaches the gateway is decoded already, and a second
 * reading of it could match an operation that the host's router does not run.
 */
export function createRouteIndex<T extends object>(): RouteIndex<T> {
  const usual = createTree<T>(foldCase)
  const folded = createTree<T>(foldText)
  const written = createTree<T>((text) => text)
  /** Whether a path of ASCII characters may match a route that has others: `/strasse` and `/straße`. */
  let foldsToAscii = false
  /** Whether a path in lower case may match a route that is not. */
  let hasUpperCase = false

  return {
    add(method, segments, value) {
      const there = folded.add(method, segments, value)
      if (there !== undefined) return there
      foldsToAscii ||= segments.some(
        (s) => 'literal' in s && !isAscii(s.literal) && isAscii(foldText(s.literal)),
      )
      hasUpperCase ||= segments.some((s) => 'literal' in s && UPPER_CASE.test(s.literal))
      written.add(method, segments, value)
      return usual.add(method, segments, value)
    },
    find(method, path) {
      const found = usual.find(method, path)
      if (found !== undefined && (hasUpperCase || UPPER_CASE.test(path))) {
        // `GET /items/KEYS` is `/items/keys` to one router, and `/items/:id` to the next.
        if ((written.find(method, path) ?? found) !== found) return undefined
      }
      if (!foldsToAscii && isAscii(path)) return found
      return found === folded.find(method, path) ? found : undefined
    },
    findAll(method, path) {
      const found = new Set([usual, folded, written].map((tree) => tree.find(method, path)))
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

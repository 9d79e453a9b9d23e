import { foldText, isAscii } from './fold-text.ts'
import { foldCase, UPPER_CASE, type Segment } from './route.ts'

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  value: T | undefined
}

/**
 * Finds the operation of a method and a path; HEAD has that of GET. It walks only the path's segments, in one of three
 * trees: for routers that ignore the case of ASCII letters, for those that fold all Unicode letters (`foldText`), and
 * for case-sensitive ones. A general router for URLs would not be safe here. It may decode percent
 * signs, cut at `?`, change letter case outside ASCII, or match an empty parameter. The gateway has already decoded the
 * path. A second decoding could find an operation that the host's router does not run.
 */
export function createRouteIndex<T extends object>() {
  const asciiFolded = createTree<T>(foldCase)
  const unicodeFolded = createTree<T>(foldText)
  const caseSensitive = createTree<T>((text) => text)
  /** Whether an ASCII path, such as `/strasse`, may match a route such as `/straße`. */
  let foldsToAscii = false
  /** A path in lower case may match a route with upper-case letters in some routers only. */
  let hasUpperCase = false

  return {
    /** The existing value of the route is not replaced, but returned. */
    add(method: string, segments: readonly Segment[], value: T): T | undefined {
      const existing = unicodeFolded.add(method, segments, value)
      if (existing !== undefined) return existing
      foldsToAscii ||= segments.some(
        (s) => 'literal' in s && !isAscii(s.literal) && isAscii(foldText(s.literal)),
      )
      hasUpperCase ||= segments.some((s) => 'literal' in s && UPPER_CASE.test(s.literal))
      caseSensitive.add(method, segments, value)
      return asciiFolded.add(method, segments, value)
    },
    /**
     * The value that all routers find, whatever letter case they ignore; undefined if two find different values. A
     * case-sensitive router that finds nothing is ignored. HEAD finds the route of GET. The decoded `path` is
     * compared as literal text except for letter case and one trailing slash.
     */
    find(method: string, path: string): T | undefined {
      const found = asciiFolded.find(method, path)
      if (found !== undefined && (hasUpperCase || UPPER_CASE.test(path))) {
        // For example, one router matches `GET /items/KEYS` to `/items/keys`, and another to `/items/:id`.
        if ((caseSensitive.find(method, path) ?? found) !== found) return undefined
      }
      if (!foldsToAscii && isAscii(path)) return found
      return found === unicodeFolded.find(method, path) ? found : undefined
    },
    /** All values that any router finds: some ignore letter case, and some do not. */
    findAll(method: string, path: string): readonly T[] {
      const found = new Set(
        [asciiFolded, unicodeFolded, caseSensitive].map((tree) => tree.find(method, path)),
      )
      return [...found].filter((value) => value !== undefined)
    },
  }
}

/** @param fold of a path and of the literals of routes, before they are compared */
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
      const root = methods.get(method === 'HEAD' ? 'GET' : method)
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

/** A literal segment is tried first. The recursion is at most as deep as the tree. */
function walk<T>(node: Node<T>, segments: readonly string[], at: number): T | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.value
  if (segment === '') return undefined
  const literal = node.literals.get(segment)
  const found = literal === undefined ? undefined : walk(literal, segments, at + 1)
  if (found !== undefined) return found
  return node.parameter === undefined ? undefined : walk(node.parameter, segments, at + 1)
}

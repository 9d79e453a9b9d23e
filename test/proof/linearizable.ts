/**
 * Decides whether a history of concurrent operations on one object is linearizable: whether each operation can be given one
 * moment between its request and its answer, so that the operations, in the order of these moments, do what the object's
 * specification says. The search is the one of Wing and Gong, "Testing and Verifying Concurrent Objects" (1993), with the
 * visited configurations remembered, as Lowe describes in "Testing for Linearizability" (2017).
 */

/** An operation as the search sees it. */
export interface Timed {
  readonly invoke: number
  /** `Infinity` if the operation has no known answer. It may then take effect at any time after its request, or never. */
  readonly end: number
}

/** The sequential specification of an object. */
export interface Specification<State, Operation> {
  readonly initial: State
  /**
   * The states in which the object may be after the operation, if its answer was the one that was seen. An empty list says that
   * the object cannot have answered so in this state.
   */
  next(state: State, operation: Operation): readonly State[]
  /**
   * What an operation without an answer does. Of two that do the same, the search takes the older one first.
   * @default each such operation does something else
   */
  effect?(operation: Operation): string
}

export interface Result<Operation> {
  /** undefined if there were too many orders to try. */
  readonly isLinearizable: boolean | undefined
  /** The longest order that was found. */
  readonly placed: readonly Operation[]
  /** The first operation that cannot follow; undefined if there is none, or if not all orders were tried. */
  readonly stuck?: Operation | undefined
}

/** A configuration of the search that is left to be continued. */
interface Open<State> {
  readonly state: State
  /** The positions of the operations that have a moment, as bits. */
  readonly done: bigint
  /** The position of the last of them, with those before it; undefined if there is none. */
  readonly last?: Placed | undefined
}

interface Placed {
  readonly position: number
  readonly count: number
  readonly before?: Placed | undefined
}

const MAX_VISITED = 100_000

/**
 * @param operations those on one object, in any order
 * @param specification its states must be values that JSON can write
 * @param maxVisited the number of configurations after which the search is given up
 */
export function checkLinearizable<State, Operation extends Timed>(
  operations: readonly Operation[],
  { initial, next, effect }: Specification<State, Operation>,
  maxVisited = MAX_VISITED,
): Result<Operation> {
  const all = [...operations].toSorted((a, b) => a.invoke - b.invoke)
  const positions = all.map((_, position) => position)
  const bits = positions.map((position) => 1n << BigInt(position))
  const isUnanswered = (position: number) => all[position]!.end === Number.POSITIVE_INFINITY
  const visited = new Set<string>()
  const open: Open<State>[] = [{ state: initial, done: 0n }]
  let longest: Placed | undefined
  const inOrder = (last: Placed | undefined) => {
    const order: Operation[] = []
    for (let each = last; each; each = each.before) order.push(all[each.position]!)
    return order.toReversed()
  }

  for (let current = open.pop(); current && visited.size < maxVisited; current = open.pop()) {
    const { state, done, last } = current
    const count = last?.count ?? 0
    if (count > (longest?.count ?? 0)) longest = last
    const left = positions.filter((position) => (done & bits[position]!) === 0n)
    if (left.every(isUnanswered)) return { isLinearizable: true, placed: inOrder(last) }
    // Another operation was answered before this one was sent, so this one cannot be next.
    const firstEnd = Math.min(...left.map((position) => all[position]!.end))
    const effects = new Set<string>()
    const candidates = left.filter((position) => {
      if (all[position]!.invoke > firstEnd) return false
      if (!effect || !isUnanswered(position)) return true
      const own = effect(all[position]!)
      return !effects.has(own) && effects.add(own)
    })
    for (const position of candidates.toReversed()) {
      const nowDone = done | bits[position]!
      for (const after of next(state, all[position]!)) {
        const key = `${nowDone.toString(36)} ${JSON.stringify(after)}`
        if (visited.has(key)) continue
        visited.add(key)
        open.push({ state: after, done: nowDone, last: { position, count: count + 1, before: last } })
      }
    }
  }
  const placed = inOrder(longest)
  const unplaced = all.filter((operation) => !placed.includes(operation))
  const isGivenUp = visited.size >= maxVisited
  return {
    isLinearizable: isGivenUp ? undefined : false,
    placed,
    stuck: isGivenUp ? undefined : unplaced.toSorted((a, b) => a.end - b.end)[0],
  }
}

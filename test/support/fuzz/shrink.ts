import type { FuzzRequest, Pair } from './request.ts'

/** Maximum number of attempts to shorten one request. */
const MAX_ATTEMPTS = 400

/**
 * Shortens a request part by part while it still leads to the same finding.
 *
 * @param stillFinds sends a request, and resolves with whether the request leads to the finding
 */
export async function shrink(
  request: FuzzRequest,
  stillFinds: (request: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let best = request
  let attempts = 0
  for (let isShorter = true; isShorter;) {
    isShorter = false
    for (const candidate of shorter(best)) {
      if (attempts >= MAX_ATTEMPTS) return best
      attempts += 1
      if (!(await stillFinds(candidate))) continue
      best = candidate
      isShorter = true
      break
    }
  }
  return best
}

function* shorter(request: FuzzRequest): Generator<FuzzRequest> {
  const { path, query, headers, body } = request
  if (body) yield { ...request, body: undefined }
  if (query.length > 0) yield { ...request, query: [] }
  for (const list of without(headers)) yield { ...request, headers: list }
  if (typeof query !== 'string') for (const list of without(query)) yield { ...request, query: list }
  if (typeof query !== 'string')
    for (const list of withShorterValues(query)) yield { ...request, query: list }
  if (body && typeof body.content !== 'string') {
    for (const content of without(body.content)) yield { ...request, body: { ...body, content } }
    for (const content of withShorterValues(body.content)) yield { ...request, body: { ...body, content } }
  }
  if (body && typeof body.content === 'string') {
    for (const content of shorterTexts(body.content)) yield { ...request, body: { ...body, content } }
  }
  for (const text of shorterTexts(path)) yield { ...request, path: text }
  for (const list of withShorterValues(headers)) yield { ...request, headers: list }
}

function* without(pairs: readonly Pair[]): Generator<readonly Pair[]> {
  for (let at = pairs.length - 1; at >= 0; at -= 1) yield pairs.filter((_, index) => index !== at)
}

function* withShorterValues(pairs: readonly Pair[]): Generator<readonly Pair[]> {
  for (const [at, [name, value]] of pairs.entries()) {
    if (value.length < 24) continue
    const half = value.slice(0, value.length / 2)
    yield pairs.map((pair, index) => (index === at ? [name, half] : pair))
  }
}

function* shorterTexts(text: string): Generator<string> {
  for (let size = text.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at + size <= text.length; at += size) yield text.slice(0, at) + text.slice(at + size)
  }
}

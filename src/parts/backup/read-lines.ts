import { GatehouseError } from '../../errors.ts'

/** Each piece is a text, or bytes in UTF-8. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

export interface Line {
  /** The first line is 1. */
  readonly number: number
  readonly text: string
  /** Whether the text ended without a line break after this line. */
  readonly isCut: boolean
}

/** A file of another kind may have no line breaks, and must not fill the memory. */
const MAX_LINE_CHARACTERS = 16_777_216

/**
 * The lines of a text that arrives in chunks of any size. Blank lines are counted and left out. An error of `chunks` is
 * thrown unchanged.
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for a chunk that is neither a text nor UTF-8, or for a long line
 */
export async function* readLines(chunks: Chunks): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let number = 1

  function decode(chunk: unknown): string {
    if (typeof chunk === 'string') return chunk
    if (!(chunk instanceof Uint8Array)) throw notChunks()
    try {
      return decoder.decode(chunk, { stream: true })
    } catch {
      throw invalid(`line ${number}, or a line soon after it, is not in UTF-8`)
    }
  }

  function* lineOf(text: string, isCut: boolean): Generator<Line> {
    const plain = (number === 1 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '')
    if (plain.trim() !== '') yield { number, text: plain, isCut }
    number += 1
  }

  if (!isIterable(chunks)) throw notChunks()
  for await (const chunk of chunks) {
    const [first = '', ...others] = decode(chunk).split('\n')
    const last = others.pop()
    rest += first
    if (last !== undefined) {
      yield* lineOf(rest, false)
      for (const text of others) yield* lineOf(text, false)
      rest = last
    }
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw invalid(`line ${number} has more than ${MAX_LINE_CHARACTERS} characters`)
    }
  }
  yield* lineOf(rest + lastCharacter(decoder), true)
}

function isIterable(value: unknown): boolean {
  const iterable = Object(value) as object
  return Symbol.asyncIterator in iterable || Symbol.iterator in iterable
}

function notChunks(): GatehouseError {
  return invalid('pass a stream of texts or bytes, such as fs.createReadStream() returns')
}

/** A replacement character if the file ends in the middle of a character, otherwise nothing. */
function lastCharacter(decoder: { decode(): string }): string {
  try {
    return decoder.decode()
  } catch {
    return '\uFFFD'
  }
}

function invalid(why: string): GatehouseError {
  return new GatehouseError('ERR_INVALID_ARGUMENT', `the registry cannot be imported: ${why}`)
}

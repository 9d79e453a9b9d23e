import { GatehouseError } from '../errors.ts'

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
  /** Whether the file ended before the line did. */
  readonly isCut: boolean
}

/** Characters that a line may have: far beyond any record, so that what is no such file is not gathered in memory. */
const LONGEST = 16_777_216

/**
 * The lines of a text that arrives in pieces, wherever those begin and end: in the middle of lines, of characters, of
 * `\r\n`. Blank lines are counted and left out, as is a byte order mark.
 *
 * @param chunks texts, or their bytes in UTF-8
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for anything else; and what `chunks` throws
 */
export async function* readLines(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let begun = ''
  let number = 1

  function decode(chunk: unknown): string {
    if (typeof chunk === 'string') return chunk
    if (!(chunk instanceof Uint8Array)) throw notChunks()
    try {
      return decoder.decode(chunk, { stream: true })
    } catch {
      throw unreadable(`line ${number} or one soon after it is not in UTF-8`)
    }
  }

  /** The line, unless it is blank; the next one is counted on. */
  function* lineOf(text: string, isCut: boolean): Generator<Line> {
    const plain = (number === 1 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '')
    if (plain.trim() !== '') yield { number, text: plain, isCut }
    number += 1
  }

  if (!isIterable(chunks)) throw notChunks()
  for await (const chunk of chunks) {
    const [first = '', ...others] = decode(chunk).split('\n')
    const last = others.pop()
    begun += first
    if (last !== undefined) {
      yield* lineOf(begun, false)
      for (const text of others) yield* lineOf(text, false)
      begun = last
    }
    if (begun.length > LONGEST) throw unreadable(`line ${number} has more than ${LONGEST} characters`)
  }
  yield* lineOf(begun + restOf(decoder), true)
}

function isIterable(value: unknown): boolean {
  const iterable = Object(value) as object
  return Symbol.asyncIterator in iterable || Symbol.iterator in iterable
}

function notChunks(): GatehouseError {
  return unreadable('hand over a stream of texts or bytes, such as fs.createReadStream() answers')
}

/** What stands for a character that the end of the file has cut. */
function restOf(decoder: { decode(): string }): string {
  try {
    return decoder.decode()
  } catch {
    return '\uFFFD'
  }
}

function unreadable(why: string): GatehouseError {
  return new GatehouseError('ERR_INVALID_ARGUMENT', `the registry cannot be imported: ${why}`)
}

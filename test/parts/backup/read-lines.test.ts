import { describe, expect, it } from 'vitest'
import { readLines } from '../../../src/parts/backup/read-lines.ts'

async function read(chunks: Parameters<typeof readLines>[0]) {
  const lines = []
  for await (const line of readLines(chunks)) lines.push(line)
  return lines
}

const TEXT = 'first\r\n\n  \nsecond with ü, € and 😀\r\n\r\nthe last'
const LINES = [
  { number: 1, text: 'first', isCut: false },
  { number: 4, text: 'second with ü, € and 😀', isCut: false },
  { number: 6, text: 'the last', isCut: true },
]
const rejection = (text: string) =>
  expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining(text) })

describe('the lines of a text that arrives in chunks', () => {
  it.each([1, 2, 3, 5, 7, 1000])('lines are read from bytes in chunks of %i', async (size) => {
    const bytes = Buffer.from(TEXT)
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      Uint8Array.from(bytes.subarray(at * size, (at + 1) * size)),
    )
    expect(await read(chunks)).toEqual(LINES)
  })

  it('lines are read from texts in chunks of any size', async () => {
    expect(await read(TEXT)).toEqual(LINES)
    expect(await read(TEXT.split(''))).toEqual(LINES)
    expect(await read([TEXT])).toEqual(LINES)
    expect(await read([TEXT, '', '\n'])).toEqual([LINES[0], LINES[1], { ...LINES[2], isCut: false }])
  })

  it('readLines rejects with the error of its async source', async () => {
    const failure = new Error('the disk is gone')
    async function* source() {
      yield 'first\nsec'
      throw failure
    }
    await expect(read(source())).rejects.toBe(failure)
  })

  it('a byte order mark is removed', async () => {
    expect(await read(['\uFEFFa\n'])).toEqual([{ number: 1, text: 'a', isCut: false }])
    expect(await read([new Uint8Array([0xef, 0xbb, 0xbf, 0x61])])).toEqual([
      { number: 1, text: 'a', isCut: true },
    ])
  })

  it('an empty source has no lines', async () => {
    expect(await read([])).toEqual([])
    expect(await read('\n\r\n \n')).toEqual([])
  })

  it('a text that ends in the middle of a character is marked as cut', async () => {
    expect(await read([Buffer.from('a\n"€').subarray(0, 4)])).toMatchObject([{}, { number: 2, isCut: true }])
  })

  it('a source that yields neither texts nor UTF-8 bytes is rejected', async () => {
    await expect(read([new Uint8Array([0x61, 0x0a, 0xff, 0x0a])])).rejects.toThrow(
      rejection('line 1, or a line soon after'),
    )
    await expect(read([12 as unknown as string])).rejects.toThrow(rejection('pass a stream'))
    for (const nothing of [undefined, null, 5, {}]) {
      await expect(read(nothing as never)).rejects.toThrow(rejection('pass a stream'))
    }
    await expect(read(new Uint8Array([1]) as unknown as string)).rejects.toThrow(rejection('pass a stream'))
  })

  it('a source without line breaks is rejected before it fills the memory', async () => {
    let handedOut = 0
    function* endless() {
      for (;;) {
        handedOut += 1
        yield 'x'.repeat(1_000_000)
      }
    }
    await expect(read(endless())).rejects.toThrow(rejection('line 1 has more than'))
    expect(handedOut).toBeLessThan(20)
  })
})

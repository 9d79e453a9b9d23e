import { PassThrough } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { readBody } from '../../src/http/read-body.ts'

const read = (chunks: readonly Buffer[], maxBytes: number) => {
  const request = new PassThrough()
  const body = readBody(request as unknown as IncomingMessage, maxBytes)
  for (const chunk of chunks) request.write(chunk)
  request.end()
  return body
}

it('a body in chunks of one byte is read with little memory', async () => {
  globalThis.gc?.()
  const text = 'abc'.repeat(100_000)
  const body = await read(
    Array.from(text, (character) => Buffer.from(character)),
    400_000,
  )
  expect(Buffer.isBuffer(body) && body.toString()).toBe(text)
  expect(Buffer.isBuffer(body) && body.buffer.byteLength).toBeLessThanOrEqual(800_000)
})

it.each([
  [0, 0],
  [10, 10],
])('a body of %i bytes is accepted, and one byte more is not', async (maxBytes, length) => {
  expect(await read([Buffer.alloc(length)], maxBytes)).toHaveLength(length)
  expect(await read([Buffer.alloc(length), Buffer.alloc(1)], maxBytes)).toEqual({ status: 413 })
})

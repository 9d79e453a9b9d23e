import type { IncomingMessage } from 'node:http'

export interface BodyRejection {
  readonly status: 400 | 413
}

/** Reads a body of at most `maxBytes`. The rest of a longer body is discarded. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | BodyRejection> {
  return new Promise((resolve) => {
    // One buffer that grows: a stranger may send each byte as a chunk, and small buffers need much memory.
    let bytes: Buffer = Buffer.alloc(0)
    let size = 0
    const finish = (result: Buffer | BodyRejection) => {
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken)
      // The response can then be sent on this connection.
      request.resume()
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      if (size + chunk.length > maxBytes) return finish({ status: 413 })
      if (size > 0 && size + chunk.length > bytes.length) {
        const grown = Buffer.alloc(Math.max(2 * bytes.length, size + chunk.length))
        bytes.copy(grown)
        bytes = grown
      }
      // Usually, the first chunk is the whole body.
      if (size === 0) bytes = chunk
      else chunk.copy(bytes, size)
      size += chunk.length
    }
    const onEnd = () => finish(bytes.subarray(0, size))
    const onBroken = () => finish({ status: 400 })
    request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken)
  })
}

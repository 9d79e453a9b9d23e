import type { IncomingMessage } from 'node:http'

/** The status of the response to a request whose body cannot be read: it is too large, or the connection broke. */
export interface BodyRejection {
  readonly status: 400 | 413
}

/** Reads the bytes of a body of at most `maxBytes`. The rest of a longer body is discarded. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | BodyRejection> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: Buffer | BodyRejection) => {
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken)
      // Discards the rest of the body, so that the response can be sent on this connection.
      request.resume()
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) finish({ status: 413 })
      else chunks.push(chunk)
    }
    const onEnd = () => finish(Buffer.concat(chunks))
    const onBroken = () => finish({ status: 400 })
    request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken)
  })
}

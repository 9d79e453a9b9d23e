import type { Context } from 'koa'
import { GatehouseError } from '../errors.ts'
import { readBody, type BodyRejection } from '../http/read-body.ts'

/** The largest report. A report of 10,000 secrets has about 2 MB. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024

/**
 * The bytes of a report, as they were sent. If a body parser of the host has read the body before, its `rawBody` is
 * used.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if the body was read before, and no raw body is left
 */
export async function readReport(ctx: Context): Promise<Buffer | BodyRejection> {
  if (Number(ctx.get('Content-Length')) > MAX_REPORT_BYTES) return { status: 413 }
  if (ctx.req.readable && !ctx.req.readableDidRead) return readBody(ctx.req, MAX_REPORT_BYTES)
  const { rawBody } = ctx.request as { rawBody?: unknown }
  const raw = typeof rawBody === 'string' || rawBody instanceof Uint8Array ? Buffer.from(rawBody) : undefined
  if (!raw) {
    throw new GatehouseError(
      'ERR_OPTIONS',
      'a body parser of the host read a leak report before createLeakReports(), and kept no raw body: mount createLeakReports() first',
    )
  }
  return raw.length > MAX_REPORT_BYTES ? { status: 413 } : raw
}

import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'

/** Bytes that a form may have: as many as oidc-provider takes. */
const LIMIT = 56 * 1024

/** The fields of a submitted form. `getAll` reads a field that may occur several times, such as checkboxes. */
export class Form extends URLSearchParams {
  /** The one value of a field; null if the field was not sent, or was sent more than once. */
  override get(name: string): string | null {
    const [value = null, ...others] = this.getAll(name)
    return others.length === 0 ? value : null
  }
}

/** Why there is no form: the status to answer with. */
export interface FormRejection {
  readonly status: 400 | 413 | 415
}

/** Reads a form as {@link readFormText} does. */
export async function readForm(ctx: Context): Promise<Form | FormRejection> {
  const text = await readFormText(ctx)
  return typeof text === 'string' ? new Form(text) : text
}

/**
 * Reads the text of a form (`application/x-www-form-urlencoded`) of at most 56 KiB; a request without a body has an
 * empty one. Where a body parser of the host's was there first, its result is used; a body that somebody else
 * consumed is rejected, never waited for.
 */
export async function readFormText(ctx: Context): Promise<string | FormRejection> {
  const type = ctx.get('Content-Type')
  const encoding = ctx.get('Content-Encoding')
  if ((type !== '' && !isForm(type)) || (encoding !== '' && encoding !== 'identity')) return { status: 415 }
  if (Number(ctx.get('Content-Length')) > LIMIT) return { status: type === '' ? 415 : 413 }
  const text = formReadByHost(ctx) ?? (await readText(ctx.req))
  if (typeof text !== 'string') return text
  if (type === '' && text !== '') return { status: 415 }
  return Buffer.byteLength(text) > LIMIT ? { status: 413 } : text
}

/** Whether there is a form to work with. */
export function isRejection(form: Form | FormRejection): form is FormRejection {
  return !(form instanceof Form)
}

/** Whether a `Content-Type` is that of a form. */
function isForm(contentType: string): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

/**
 * The text of a form that a body parser of the host's has read already, from the places where those of Koa and of
 * plain Node leave what they made of it.
 *
 * @returns undefined if nobody has read it; 400 if somebody has, and what they left is no form
 */
function formReadByHost(ctx: Context): string | FormRejection | undefined {
  // Parsers of other content leave an empty object behind, and the form where it is.
  if (ctx.req.readable && !ctx.req.readableDidRead) return undefined
  const { rawBody, body } = ctx.request as { rawBody?: unknown; body?: unknown }
  // The text itself is the best source: parsers differ in what they make of a repeated field.
  for (const candidate of [rawBody, body, (ctx.req as { body?: unknown }).body]) {
    if (typeof candidate === 'string') return candidate
    if (candidate instanceof Uint8Array) return Buffer.from(candidate).toString()
    if (typeof candidate !== 'object' || candidate === null) continue
    const fields = fieldsOf(candidate)
    return fields ? new URLSearchParams(fields).toString() : { status: 400 }
  }
  // Somebody read it and kept the result to themselves: its end will not come a second time.
  return { status: 400 }
}

/** Fields as a parser such as qs leaves them; undefined if they are not plain texts and lists of texts. */
function fieldsOf(parsed: object): Array<[string, string]> | undefined {
  const fields: Array<[string, string]> = []
  for (const [name, value] of Object.entries(parsed) as Array<[string, unknown]>) {
    // qs makes an object { 0: …, 1: … } out of a list that is longer than its limit.
    const values = typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [value]
    for (const one of values) {
      if (typeof one !== 'string') return undefined
      fields.push([name, one])
    }
  }
  return fields
}

function readText(request: IncomingMessage): Promise<string | FormRejection> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: string | FormRejection) => {
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken)
      // What is left is let go, so that the answer can be sent on this connection.
      request.resume()
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > LIMIT) finish({ status: 413 })
      else chunks.push(chunk)
    }
    const onEnd = () => finish(Buffer.concat(chunks).toString())
    const onBroken = () => finish({ status: 400 })
    request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken)
  })
}

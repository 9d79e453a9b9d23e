import type { Context } from 'koa'
import { readBody } from './read-body.ts'

/** The same limit as in oidc-provider. */
const MAX_FORM_BYTES = 56 * 1024

/** `getAll` reads a field that may occur several times, such as checkboxes. */
export class Form extends URLSearchParams {
  /** Null if the field was not sent, or was sent more than once. */
  override get(name: string): string | null {
    const [value = null, ...others] = this.getAll(name)
    return others.length === 0 ? value : null
  }
}

export interface FormRejection {
  readonly status: 400 | 413 | 415
}

/** As {@link readFormText}. */
export async function readForm(ctx: Context): Promise<Form | FormRejection> {
  const text = await readFormText(ctx)
  return typeof text === 'string' ? new Form(text) : text
}

/**
 * Reads the text of a form (`application/x-www-form-urlencoded`) of at most 56 KiB. A request without a body
 * has an empty form. If a body parser of the host has read the body, its result is used. Without a result,
 * the request is rejected, because a second read would wait forever.
 */
export async function readFormText(ctx: Context): Promise<string | FormRejection> {
  const type = ctx.get('Content-Type')
  const encoding = ctx.get('Content-Encoding')
  if ((type !== '' && !isForm(type)) || (encoding !== '' && encoding !== 'identity')) return { status: 415 }
  if (Number(ctx.get('Content-Length')) > MAX_FORM_BYTES) return { status: type === '' ? 415 : 413 }
  const body = formReadByHost(ctx) ?? (await readBody(ctx.req, MAX_FORM_BYTES))
  if (typeof body !== 'string' && 'status' in body) return body
  const text = body.toString()
  if (type === '' && text !== '') return { status: 415 }
  return Buffer.byteLength(text) > MAX_FORM_BYTES ? { status: 413 } : text
}

export function isRejection(form: Form | FormRejection): form is FormRejection {
  return !(form instanceof Form)
}

function isForm(contentType: string): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

/** Undefined if the body has not been read; 400 if what a parser of Koa or plain Node has stored is not a form. */
function formReadByHost(ctx: Context): string | FormRejection | undefined {
  // Parsers of other content types store an empty object without reading the form.
  if (ctx.req.readable && !ctx.req.readableDidRead) return undefined
  const { rawBody, body } = ctx.request as { rawBody?: unknown; body?: unknown }
  // The raw text is the best source, because parsers handle a repeated field differently.
  for (const candidate of [rawBody, body, (ctx.req as { body?: unknown }).body]) {
    if (typeof candidate === 'string') return candidate
    if (candidate instanceof Uint8Array) return Buffer.from(candidate).toString()
    if (typeof candidate !== 'object' || candidate === null) continue
    const fields = fieldsOf(candidate)
    return fields ? new URLSearchParams(fields).toString() : { status: 400 }
  }
  // Reading the body now would wait forever.
  return { status: 400 }
}

/** Undefined if a field is neither a text nor a list of texts. */
function fieldsOf(parsed: object): Array<[string, string]> | undefined {
  const fields: Array<[string, string]> = []
  for (const [name, value] of Object.entries(parsed) as Array<[string, unknown]>) {
    // qs turns a list that is longer than its limit into an object { 0: …, 1: … }.
    const values = typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [value]
    for (const one of values) {
      if (typeof one !== 'string') return undefined
      fields.push([name, one])
    }
  }
  return fields
}

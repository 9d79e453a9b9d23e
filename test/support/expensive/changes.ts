import type { RawRequest } from '../raw-request.ts'

/** A valid request, which the kinds of expensive requests change. */
export interface Target {
  /** The method and the path, with names instead of ids. */
  readonly name: string
  readonly port: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
  /** The type of the body that it reads. */
  readonly reads?: 'form' | 'JSON' | undefined
  /** The JSON before and after each text in its body, such as `{"name":"` and `"}`. */
  readonly members?: readonly (readonly [before: string, after: string])[] | undefined
  /** The id of the key that signs access tokens. */
  readonly kid: string
}

/** Makes an expensive request from a valid one. `room` is the number of bytes that Node still accepts as target and headers. */
export type Change = (target: Target, room: number) => Partial<RawRequest>

/** A text of at most `room` bytes. */
export type Text = (room: number, kid: string) => string

/** Bytes of target and headers that Node accepts, without the headers that the client adds. */
export const MAX_HEAD_BYTES = 16_384 - 250
export const MAX_FORM_BYTES = 56 * 1024
const MAX_JSON_BYTES = 64 * 1024

export const FORM = 'application/x-www-form-urlencoded'
export const encode = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString()
const without = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))
export const fill = (unit: string, bytes: number) => unit.repeat(Math.max(0, Math.floor(bytes / unit.length)))
/** A list of different short names, each followed by `end`. */
export function names(end: string, bytes: number): string {
  let list = ''
  for (let index = 0; list.length < bytes - 8; index += 1) list += index.toString(36) + end
  return list
}

/** The host of an address, of as many different letters as fit. The time of a URL parser grows with their square. */
export function letters(bytes: number, write: (letter: string) => string = encodeURIComponent): string {
  const first = 0x4e00
  const count = Math.floor(bytes / Buffer.byteLength(write(String.fromCodePoint(first))))
  return Array.from({ length: count }, (_, index) => write(String.fromCodePoint(first + index))).join('')
}

/** The query of a valid request, and more after it. */
export const query =
  (more: Text): Change =>
  ({ path, query: own, kid }, room) => ({
    target: `${path}?${[encode(own), more(room, kid)].filter(Boolean).join('&')}`,
  })
/** A parameter with a long value, instead of the value of the valid request. */
export const parameter =
  (name: string, value: Text): Change =>
  ({ path, kid, query: own }, room) => ({
    target: `${path}?${encode(without(own, name))}&${name}=${value(room - name.length, kid)}`,
  })
export const path =
  (more: Text): Change =>
  (target, room) => ({ target: `${target.path}${more(room, target.kid)}?${encode(target.query)}` })
export const header =
  (name: string, value: Text): Change =>
  ({ kid, headers: { [name]: known = '', ...headers } }, room) => ({
    headers: { ...headers, [name]: value(room + known.length - name.length, kid) },
  })
export const withBody = ({ headers }: Target, type: string, body: string): Partial<RawRequest> => ({
  headers: { ...headers, 'content-type': type },
  body,
})
/** The fields of a valid form, and more after them. */
export const form =
  (more: Text): Change =>
  (target) => {
    const own = encode(target.form)
    return withBody(target, FORM, `${own}&${more(MAX_FORM_BYTES - own.length - 1, target.kid)}`)
  }
/** A field with a long value, instead of the value of the valid form. */
export const field =
  (name: string, value: Text): Change =>
  (target) => {
    const own = `${encode(without(target.form, name))}&${name}=`
    return withBody(target, FORM, own + value(MAX_FORM_BYTES - own.length, target.kid))
  }
export const json =
  (text: Text): Change =>
  (target) =>
    withBody(target, 'application/json', text(MAX_JSON_BYTES, target.kid))

import { isObject } from './host-callback.ts'

/** Whether a value is valid for a field of a record. */
export type Field = (value: unknown) => boolean

/** The required fields of a stored record. Other fields are allowed and kept unchanged. */
export type Fields = { readonly [field: string]: Field }

/** Any text. */
export const isText: Field = (value) => typeof value === 'string'

/** A finite number. */
export const isNumber: Field = (value) => typeof value === 'number' && Number.isFinite(value)

/** A whole number that counts something. */
export const isCount: Field = (value) => Number.isSafeInteger(value) && Number(value) >= 0

/** True or false. */
export const isFlag: Field = (value) => typeof value === 'boolean'

/** Exactly one of these. */
export const is =
  (...values: readonly unknown[]): Field =>
  (value) =>
    values.includes(value)

/** Absent, or valid by `field`. */
export const optional =
  (field: Field): Field =>
  (value) =>
    value === undefined || field(value)

/** A list whose entries are all valid by `field`. */
export const listOf =
  (field: Field): Field =>
  (value) =>
    Array.isArray(value) && value.every(field)

/** An object whose values are all valid by `field`. */
export const mapOf =
  (field: Field): Field =>
  (value) =>
    isObject(value) && Object.values(value).every(field)

/** An object with these fields. */
export const objectOf =
  (fields: Fields): Field =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, field]) => field(value[name]))

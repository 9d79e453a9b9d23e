import { isObject } from './host-callback.ts'

/** Whether a value can be what a field of a record holds. */
export type Field = (value: unknown) => boolean

/** What a record must look like to be one of ours. Fields that are not named may be there, and are kept as they are. */
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

/** Left out, or as `field` says. */
export const optional =
  (field: Field): Field =>
  (value) =>
    value === undefined || field(value)

/** A list of which every entry is as `field` says. */
export const listOf =
  (field: Field): Field =>
  (value) =>
    Array.isArray(value) && value.every(field)

/** An object whose every value is as `field` says. */
export const mapOf =
  (field: Field): Field =>
  (value) =>
    isObject(value) && Object.values(value).every(field)

/** An object with these fields. */
export const objectOf =
  (fields: Fields): Field =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, field]) => field(value[name]))

// Rules for JSON over HTTP. Each rule has its JSON Schema, and its messages use the words of JSON.

import type { Fault, Problem } from '../errors.ts'
import { isDay, isObject } from './predicates.ts'
import {
  anyValue,
  exactObjectOf,
  listOf,
  objectOf,
  oneOf,
  optional as optionalRule,
  ruleWith,
  valueOf,
  type Fields,
  type JsonSchema,
  type Rule,
} from './rules.ts'

const REQUIRED: Fault = { code: 'required', message: 'is required' }

/** A value of one type of JSON. @param rule what is checked, and read, if the type is right */
function typed<T>(
  what: string,
  isOfType: (value: unknown) => boolean,
  json: JsonSchema,
  rule: Rule<T> = anyValue as Rule<T>,
): Rule<T> {
  const fault: Fault = { code: 'type', message: `must be ${what}` }
  const check: Rule = (value) => {
    if (isOfType(value)) return rule(value)
    return value === undefined ? REQUIRED : fault
  }
  return ruleWith(check, { read: rule.read, json })
}

const isNumber = (value: unknown) => typeof value === 'number'

/** The same rule, with a description for the OpenAPI document. */
export function described<T>(rule: Rule<T>, description: string): Rule<T> {
  return ruleWith(rule, { ...rule, json: { ...rule.json, description } })
}

/** A field that may be absent. */
export function optional<T>(rule: Rule<T>, description?: string): Rule<T | undefined> {
  return optionalRule(description === undefined ? rule : described(rule, description))
}

/** A field that may be null. */
export function nullable<T>(rule: Rule<T>): Rule<T | null> {
  return ruleWith((value) => (value === null ? undefined : rule(value)), {
    read: (value) => (value === null ? null : valueOf(rule, value)),
    json: { anyOf: [rule.json, { type: 'null' }] },
  })
}

export const text = textOf({})

/** A text within bounds. @param bounds as in JSON Schema */
export function textOf(bounds: { minLength?: 1; maxLength?: number; pattern?: RegExp }): Rule<string> {
  const { minLength = 0, maxLength: max = Infinity, pattern } = bounds
  const isString = (value: unknown) => typeof value === 'string'
  const schema = { type: 'string', ...bounds, ...(pattern && { pattern: pattern.source }) }
  return typed('a string', isString, schema, (value) => {
    const sent = String(value)
    if (sent.length < minLength) return { code: 'empty', message: 'must not be empty' }
    if (sent.length > max) return { code: 'too-long', message: `must have at most ${max} characters`, max }
    return !pattern || pattern.test(sent) ? undefined : { code: 'type', message: `must be a ${pattern}` }
  })
}

export const boolean = typed<boolean>('a boolean', (value) => typeof value === 'boolean', { type: 'boolean' })

export const number = typed<number>('a number', isNumber, { type: 'number' })

/** A whole number. */
export function integer(bounds: { minimum?: number; maximum?: number } = {}): Rule<number> {
  const { minimum: min = -Infinity, maximum: max = Infinity } = bounds
  return typed('a number', isNumber, { type: 'integer', ...bounds }, (value) => {
    const number = Number(value)
    const problems: Problem[] = []
    if (!Number.isInteger(value)) problems.push({ path: '', code: 'type', message: 'must be a whole number' })
    if (number < min) problems.push({ path: '', code: 'range', message: `must be at least ${min}`, min })
    if (number > max) problems.push({ path: '', code: 'range', message: `must be at most ${max}`, max })
    return problems.length > 0 ? problems : undefined
  })
}

/** One of these texts. */
export function choice<const T extends readonly string[]>(values: T): Rule<T[number]> {
  return ruleWith(oneOf(...values), { json: { enum: values, type: 'string' } })
}

/** Exactly this text. */
export function literal<const T extends string>(value: T): Rule<T> {
  return ruleWith(oneOf(value), { json: { const: value } })
}

export function array<T>(item: Rule<T>): Rule<readonly T[]> {
  return typed('an array', Array.isArray, { type: 'array', items: item.json }, listOf(item))
}

/** An object, which is read without any other field. */
export function object<const F extends Fields>(fields: F) {
  return typed('an object', isObject, objectSchema(fields), objectOf(fields))
}

/** An object that has no other field. */
export function exactObject<const F extends Fields>(fields: F) {
  const schema = { ...objectSchema(fields), additionalProperties: false }
  return typed('an object', isObject, schema, exactObjectOf(fields, 'is unknown here'))
}

function objectSchema(fields: Fields): JsonSchema {
  const rules = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(rules.map(([name, rule]) => [name, rule.json])),
    required: rules.filter(([, rule]) => rule(undefined) !== undefined).map(([name]) => name),
  }
}

const DATE_TIME = { type: 'string', format: 'date-time' }

const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:[12]\d|0[1-9]|3[01])[T ](?:0\d|1\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?(?:Z| ?[+-](?:0\d|1\d|2[0-3])(?::?[0-5]\d)?)$/

function isTime(sent: string): boolean {
  // Some texts have the form of a timestamp, but are no time: the 30th of February, or an offset such as `+05`.
  return TIMESTAMP.test(sent) && isDay(sent.slice(0, 10)) && Number.isFinite(Date.parse(sent))
}

const NO_TIME: Fault = { code: 'type', message: 'must be a time, such as 2026-07-01T09:30:00Z' }

/** A time that a caller sends, such as `2026-07-01T09:30:00Z`, read as epoch seconds. */
export const time = ruleWith<number>(
  (value) => text(value) ?? (isTime(String(value)) ? undefined : NO_TIME),
  {
    json: DATE_TIME,
    read: (value) => Math.floor(Date.parse(String(value)) / 1000),
  },
)

function asTime(write: (time: number) => string): Rule<string> {
  return ruleWith(number, { json: DATE_TIME, read: (value) => write(Number(value)) })
}

/** A time of the services, in epoch seconds, read as ISO 8601 in UTC: `2026-07-01T09:30:00Z`. */
export const secondsAsTime = asTime((seconds) =>
  new Date(Math.floor(seconds) * 1000).toISOString().replace('.000Z', 'Z'),
)

/** A time of the services, in milliseconds since the epoch, read as `2026-07-01T09:30:00.125Z`. */
export const millisecondsAsTime = asTime((milliseconds) => new Date(milliseconds).toISOString())

import { changeFields } from '../host/change-options.ts'
import * as json from '../validation/json-rules.ts'
import { type Fields, objectOf, oneOf, optional, type Rule } from '../validation/rules.ts'
import type { Client } from './client.ts'
import type { KeyPolicy } from './expiry-policy.ts'
import type { Creation, Field } from './field-row.ts'
import { CLIENT_FIELDS } from './client-fields.ts'
import { isObject } from '../validation/predicates.ts'

type Kind = Client['kind']

/** For fields that are not in the order of the table: below 0 they come first, above 0 last. */
type Order = Readonly<Record<string, number>>

/** Answers have this order too. */
const IN_RECORD: Order = { clientId: -1, isPublic: 1, origins: 2 }

const IN_CREATION: Order = { origins: 1, isPublic: 2 }

export function fieldsOf(kind: Kind): Readonly<Record<string, Field>> {
  return { ...CLIENT_FIELDS.both, ...CLIENT_FIELDS[kind] }
}

/** What is found for each field of a kind. The fields of both kinds come first. @param others come between */
function collect<T>(
  kind: Kind,
  order: Order,
  find: (field: Field, name: string) => T | undefined,
  others?: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  const found = (fields: Readonly<Record<string, Field>>) =>
    Object.entries(fields)
      .toSorted(([one], [other]) => (order[one] ?? 0) - (order[other] ?? 0))
      .map(([name, field]) => [name, find(field, name)] as const)
      .filter(([, each]) => each !== undefined)
  return Object.fromEntries([
    ...found(CLIENT_FIELDS.both),
    ...Object.entries(others ?? {}),
    ...found(CLIENT_FIELDS[kind]),
  ]) as Readonly<Record<string, T>>
}

function isAlwaysThere({ isRequired, byDefault }: Field): boolean {
  return isRequired === true || byDefault !== undefined
}

function ofEach(field: Field, rule: Rule | undefined, description?: string): Rule | undefined {
  return rule && (isAlwaysThere(field) ? rule : json.optional(rule, description))
}

export function storedRules(kind: Kind): Fields {
  return collect(kind, IN_RECORD, (field) => ofEach(field, field.inRecord))
}

export function fileRules(kind: Kind): Fields {
  return collect(kind, IN_RECORD, (field) =>
    ofEach(field, field.inRecord && (field.inFile ?? field.rule ?? field.inRecord)),
  )
}

export function answerRules(kind: Kind): Fields {
  return collect(kind, IN_RECORD, (field) => ofEach(field, field.inAnswer, field.openApi?.answer))
}

export function creationRules(creation: Creation): Fields {
  const ruleOf = ({ setBy, ruleAtCreation, rule, isRequired }: Field) =>
    setBy && (ruleAtCreation ? ruleAtCreation(creation) : isRequired ? rule : rule && optional(rule))
  return collect(creation.kind, IN_CREATION, ruleOf, changeFields)
}

export function changeRules(kind: Kind, keyPolicy: KeyPolicy): Fields {
  return collect(kind, {}, ({ setBy, ruleInChange, rule, isRemovable }) => {
    if (setBy !== 'change') return undefined
    return ruleInChange ? ruleInChange(keyPolicy) : rule && optional(isRemovable ? json.nullable(rule) : rule)
  })
}

/** The rules of bodies of the management API. The rules of the input apply too. */
export function bodyRules(kind: Kind, act: 'creation' | 'change'): Fields {
  return collect(kind, {}, ({ setBy, inAnswer, inBody = inAnswer, isRequired, isRemovable, openApi }) => {
    if (!inBody || (setBy !== act && setBy !== 'change')) return undefined
    if (act === 'change') return json.optional(isRemovable ? json.nullable(inBody) : inBody, openApi?.change)
    return isRequired ? inBody : json.optional(inBody, openApi?.creation)
  })
}

/** Makes all rules of the table of fields. A new record has an empty list or false only in fields of all clients. */
export function newFields(kind: Kind, values: Readonly<Record<string, unknown>>) {
  return collect<unknown>(kind, IN_RECORD, (field, name) => {
    const value = field.inRecord && (values[name] ?? field.byDefault)
    const isEmpty = value === false || (Array.isArray(value) && value.length === 0)
    if (isEmpty && !isAlwaysThere(field)) return undefined
    if (Array.isArray(value)) return [...(value as unknown[])]
    return field.setBy === 'change' && typeof value === 'string' ? value.trim() : value
  })
}

export const kindRule = oneOf('apiKey', 'application')

/** Stricter rules apply to clients from the host's own database, and to clients in an exported file. */
export function clientRuleOf(fieldsOf: (kind: Client['kind']) => Fields): Rule {
  const rules = { apiKey: objectOf(fieldsOf('apiKey')), application: objectOf(fieldsOf('application')) }
  return (value) => {
    const kind = isObject(value) ? value['kind'] : undefined
    if (kind === 'apiKey' || kind === 'application') return rules[kind](value)
    return objectOf({ kind: kindRule })(value)
  }
}

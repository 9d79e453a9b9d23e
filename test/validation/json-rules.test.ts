import { describe, expect, it } from 'vitest'
import * as json from '../../src/validation/json-rules.ts'
import { problemsOf, valueOf } from '../../src/validation/rules.ts'

const body = json.exactObject({
  name: json.textOf({ minLength: 1, maxLength: 3 }),
  expiresAt: json.optional(json.nullable(json.time), 'null: never'),
  kind: json.optional(json.choice(['a', 'b'])),
  list: json.optional(json.array(json.exactObject({ count: json.integer({ minimum: 1, maximum: 9 }) }))),
})

describe('rules of JSON', () => {
  it('a rule has the JSON Schema of its values', () => {
    expect(body.json).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 3 },
        expiresAt: {
          anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
          description: 'null: never',
        },
        kind: { enum: ['a', 'b'], type: 'string' },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { count: { type: 'integer', minimum: 1, maximum: 9 } },
            required: ['count'],
            additionalProperties: false,
          },
        },
      },
      required: ['name'],
      additionalProperties: false,
    })
  })

  it.each([
    [{}, ['name: is required']],
    [{ name: '' }, ['name: must not be empty']],
    [{ name: 'abcd' }, ['name: must have at most 3 characters']],
    [{ name: 5 }, ['name: must be a string']],
    [
      { name: 'a', expiresAt: '2030-02-30T00:00:00Z' },
      ['expiresAt: must be a time, such as 2026-07-01T09:30:00Z'],
    ],
    [{ name: 'a', kind: 'c' }, ['kind: must be "a" or "b"']],
    [{ name: 'a', list: {} }, ['list: must be an array']],
    [
      { name: 'a', list: [{ count: 0 }, 5] },
      ['list[0].count: must be at least 1', 'list[1]: must be an object'],
    ],
    [
      { name: 'a', list: [{ count: 1, 'b c': 2 }], d: 1 },
      [`list[0]['b c']: is unknown here`, 'd: is unknown here'],
    ],
    [[], ['body: must be an object']],
  ])('a rule names all mistakes of %j, each with its path', (value, expected) => {
    const problems = problemsOf(body(value), 'body')
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual(expected)
  })

  it('times are read as epoch seconds, and written as ISO 8601', () => {
    const sent = { name: 'a', expiresAt: '2030-01-01T00:00:01.5+01:00' }
    expect(body(sent)).toBeUndefined()
    expect(valueOf(body, sent)).toEqual({ name: 'a', expiresAt: 1_893_452_401 })
    expect(valueOf(body, { name: 'a', expiresAt: null })).toEqual({ name: 'a', expiresAt: null })
    const answer = json.object({ at: json.secondsAsTime, until: json.millisecondsAsTime })
    expect(valueOf(answer, { at: 1.9, until: 1900, other: 1 })).toEqual({
      at: '1970-01-01T00:00:01Z',
      until: '1970-01-01T00:00:01.900Z',
    })
  })
})

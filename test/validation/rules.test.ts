import { describe, expect, it } from 'vitest'
import {
  checkInput,
  countRule,
  epochSecondsRule,
  exactObjectOf,
  findProblems,
  hostIdRule,
  listOf,
  mapOf,
  nullable,
  objectOf,
  oneOf,
  optional,
  textRule,
  together,
  uniqueListOf,
  valueOf,
  wholeNumber,
} from '../../src/validation/rules.ts'

describe('rules', () => {
  it.each([
    ['a text', 'empty', textRule, 'a', '', 'must be a text that is not empty, and is an empty text'],
    [
      'a host id',
      'format',
      hostIdRule,
      'ä b',
      'a\nb',
      'must be a text of 1 to 255 characters without control characters',
    ],
    ['a count', 'type', countRule, 0, 0.5, 'must be a whole number from 0, and is a number'],
    ['a bounded number', 'range', wholeNumber(1, 3), 3, 4, 'must be a whole number from 1 to 3'],
    [
      'a time',
      'type',
      epochSecondsRule,
      1.5,
      new Date(),
      'must be a number of seconds since the epoch, and is a Date',
    ],
    [
      'a time in milliseconds',
      'range',
      epochSecondsRule,
      0,
      2e12,
      'must be in seconds since the epoch, and looks like milliseconds',
    ],
    ['one of several values', 'choice', oneOf('a', true), true, 'b', 'must be "a" or true'],
    [
      'an optional text',
      'type',
      optional(textRule),
      undefined,
      null,
      'must be a text that is not empty, and is null',
    ],
    [
      'a nullable text',
      'type',
      nullable(textRule),
      null,
      7,
      'must be a text that is not empty, and is a number',
    ],
    ['an object', 'type', objectOf({}), { other: 1 }, new Map(), 'must be an object, and is a Map'],
    ['a list', 'type', listOf(textRule), ['a', 'a'], 'a', 'must be a list, and is a text'],
    ['a short list', 'too-many', uniqueListOf(textRule, 1), ['a'], ['a', 'b'], 'must have at most 1 entries'],
  ])(
    'the rule for %s accepts valid values, and names the problem of invalid values',
    (_, code, rule, valid, invalid, message) => {
      expect(rule(valid)).toBeUndefined()
      expect(findProblems({ a: invalid }, { a: rule })).toMatchObject([{ path: 'a', code, message }])
    },
  )

  it('the problems of nested values are reported with their paths', () => {
    const rules = { a: objectOf({ b: listOf(textRule) }), c: mapOf(countRule), d: uniqueListOf(textRule) }
    const problems = findProblems({ a: { b: ['x', ''] }, c: { one: -1 }, d: ['x', 'x'] }, rules)
    expect(problems.map(({ path }) => path)).toEqual(['a.b[1]', 'c.one', 'd[1]'])
    expect(problems.at(-1)?.message).toBe('is in the list already')
    expect(findProblems({ a: { b: [] }, c: {}, d: [] }, rules)).toEqual([])
  })

  it('a list reports at most a hundred problems', () => {
    expect(listOf(textRule)(Array.from({ length: 1000 }, () => 1))).toHaveLength(100)
  })

  it('reading a valid value adds the defaults, also of nested objects, and leaves out fields that are undefined', () => {
    const inner = exactObjectOf({ size: optional(countRule, 3), name: optional(textRule) })
    const rule = exactObjectOf({ inner: optional(inner, {}), list: optional(listOf(inner)) })
    expect(valueOf(rule, {})).toStrictEqual({ inner: { size: 3 } })
    expect(valueOf(rule, { inner: { size: 1 }, list: [{ name: 'a' }] })).toStrictEqual({
      inner: { size: 1 },
      list: [{ size: 3, name: 'a' }],
    })
  })

  it('together checks fields against each other, even if one of them is invalid', () => {
    const rule = together(exactObjectOf({ a: countRule, b: countRule }), ({ a, b }, add) => {
      if (a === b) add(['b'], 'must differ from a')
    })
    expect(rule({ a: 1, b: 2 })).toBeUndefined()
    expect(findProblems({ x: { a: -1, b: -1 } }, { x: rule }).map(({ path }) => path)).toEqual([
      'x.a',
      'x.b',
      'x.b',
    ])
  })

  it('checkInput rejects unknown fields, and reports all problems at once', () => {
    expect(() => checkInput('it failed', { a: 1, b: 2 }, { a: textRule })).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_ARGUMENT',
        problems: [expect.objectContaining({ path: 'a' }), expect.objectContaining({ path: 'b' })],
      }),
    )
    expect(() => checkInput('it failed', [], {})).toThrow('it failed: expected an object')
  })
})

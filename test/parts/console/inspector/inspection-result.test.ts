import { expect, it } from 'vitest'
import { prettyJson } from '../../../../src/parts/console/inspector/inspection-result.ts'

it('JSON is indented', () => {
  expect(prettyJson({ a: [1], b: 'x' })).toBe('{\n  "a": [\n    1\n  ],\n  "b": "x"\n}')
})

it('invisible characters, and characters that change the direction of text, are shown as escapes', () => {
  expect(prettyJson({ a: 'x\u202Ey\u200Bz' })).toContain('x\\u202ey\\u200bz')
})

it('a value that is nested thousands of times stays short', () => {
  const deep = { a: JSON.parse('['.repeat(6000) + ']'.repeat(6000)) as unknown }
  expect(prettyJson(deep).length).toBeLessThan(13_000)
})

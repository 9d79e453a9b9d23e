import { expect, it } from 'vitest'
import { createReaderTexts, type PageText } from '../../../src/http/pages/texts.ts'

const texts = createReaderTexts<{ readonly keys: PageText; readonly named: PageText }>({
  english: { keys: { one: '{count} key', other: '{count} keys' }, named: '{name} is ready' },
  texts: {
    pl: { keys: { one: '{count} klucz', few: '{count} klucze', other: '{count} kluczy' }, named: '{name}' },
    ar: { keys: { two: 'مفتاحان', other: '{count}' }, named: '{name}' },
  },
  defaultLocale: 'en',
  pages: 'the test',
})

it.each([
  ['en', 1, '1 key'],
  ['en', 12_345, '12,345 keys'],
  ['pl', 1, '1 klucz'],
  ['pl', 3, '3 klucze'],
  ['pl', 5, '5 kluczy'],
  ['ar', 2, 'مفتاحان'],
  ['fr', 1, '1 key'],
])('in %s, the number %i is written as “%s”', (locale, count, expected) => {
  const reader = texts.forReader([locale])
  expect(reader.plain('keys', { count })).toBe(expected)
  expect(reader.html('keys', { count }).toString()).toBe(expected)
})

it('a value that is text is isolated and escaped in markup, and inserted as it is without markup', () => {
  const reader = texts.forReader(['en'])
  expect(reader.html('named', { name: '<b>' }).toString()).toBe('<bdi>&lt;b&gt;</bdi> is ready')
  expect(reader.plain('named', { name: '<b>' })).toBe('<b> is ready')
  expect(reader.plain('named')).toBe('{name} is ready')
})

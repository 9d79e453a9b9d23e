import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createConsoleStylesheet } from '../../../src/console/assets/stylesheet.ts'

const document = readFileSync(path.resolve(import.meta.dirname, '../../../docs/console.md'), 'utf8')

const propertiesIn = (text: string) => [...new Set(text.match(/--gatehouse-[a-z-]+/g))].toSorted()

it('the document about the console names every custom property that its stylesheet reads, and no other', () => {
  const properties = propertiesIn(createConsoleStylesheet('#1a56db'))
  expect(properties.length).toBeGreaterThan(10)
  expect(propertiesIn(document)).toEqual(properties)
})

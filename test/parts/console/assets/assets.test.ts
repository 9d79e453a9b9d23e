import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../../../..')
const propertiesIn = (file: string) => {
  const text = readFileSync(path.join(root, file), 'utf8')
  return [...new Set(text.match(/--gatehouse-[a-z]+(-[a-z]+)*/g))].toSorted()
}

it('the document about the console names every custom property that its stylesheet reads, and no other', () => {
  const properties = propertiesIn('src/parts/console/assets/console.css')
  expect(properties.length).toBeGreaterThan(10)
  expect(propertiesIn('docs/console.md')).toEqual(properties)
})

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createStylesheet, GROUNDS } from '../../../src/http/pages/stylesheet.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

it('the shades of the accent colour are readable on the backgrounds that the stylesheets have', () => {
  const { light, dark } = GROUNDS
  expect(read('src/parts/console/assets/console.css')).toContain(
    `--soft: var(--gatehouse-soft, light-dark(${light}, ${dark}));`,
  )
  const backgrounds = [
    ...read('src/authorization-server/interaction/pages/interaction-pages.css').matchAll(/--soft: (.*);/g),
  ]
  expect(backgrounds.map(([, colour]) => colour)).toEqual([light, dark])
})

it('a stylesheet has neither comments nor line breaks', () => {
  const rules = '/* one\n * two */\n.a,\n.b {\n  color: var(--accent-fill);\n}\n'
  expect(createStylesheet('#1a56db', ':root', rules)).toMatch(
    /^:root \{ --accent-fill: #1a56db; .*\} +\.a, \.b \{ color: var\(--accent-fill\); \} $/,
  )
})

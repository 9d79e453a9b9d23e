import { readdirSync } from 'node:fs'
import path from 'node:path'
import { format } from 'oxfmt'
import { describe, expect, it } from 'vitest'
import { referencePages } from '../../docs/scripts/reference.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, 'docs/reference')
const pages = referencePages(root)

describe('the reference', () => {
  it.each([...pages])('docs/reference/%s is what the doc comments say', async (file, text) => {
    // Code blocks keep the form that they have in the sources.
    const { code } = await format(file, text, { printWidth: 110, embeddedLanguageFormatting: 'off' })
    await expect(code).toMatchFileSnapshot(path.join(folder, file))
  })

  it('docs/reference has no page that the doc comments do not make', () => {
    expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted())
  })
})

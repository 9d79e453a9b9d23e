import path from 'node:path'
import { afterAll, beforeAll, it } from 'vitest'
import { buildExamples, type BuiltExamples } from '../examples/example-process.ts'
import { describeWithChromium, executablePath } from '../support/chromium.ts'
import { runToEnd } from '../support/package-copy.ts'

const SCRIPT = path.resolve(import.meta.dirname, '../../docs/scripts/screenshots.mjs')

describeWithChromium('the pictures of the docs', () => {
  let examples: BuiltExamples
  beforeAll(async () => void (examples = await buildExamples()), 60_000)
  afterAll(() => examples?.remove())

  it('show pages as they are: the pages have the elements and classes that they had when the pictures were taken', async () => {
    await runToEnd(examples.folder, process.execPath, [SCRIPT, '--check'], { CHROMIUM: executablePath ?? '' })
  }, 60_000)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { findViolations } from './accessibility.ts'
import { describeWithChromium, startChromium } from './chromium.ts'

const DOCUMENT = `<!doctype html><html lang="en"><title>t</title><main><h1>h</h1>
  <p style="color: #bbb; background: #fff">pale</p>
  <iframe title="f" srcdoc="<!doctype html><html lang='en'><title>t</title><main><h1>h</h1><img src='data:,'></main>"></iframe></main>`

describeWithChromium('findViolations()', () => {
  let browser: Browser
  beforeAll(async () => void (browser = await startChromium()))
  afterAll(() => browser?.close())

  it('names the rules that a page or its frame breaks, or those of them that were asked for', async () => {
    const page = await browser.newPage()
    await page.setContent(DOCUMENT, { waitUntil: 'load' })
    const found = await findViolations(page)
    expect(found).toContainEqual(['image-alt', ['<img src="data:,">']])
    expect(found.map(([rule]) => rule)).toContain('color-contrast')
    expect((await findViolations(page, { rules: ['color-contrast'] })).map(([rule]) => rule)).toEqual([
      'color-contrast',
    ])
    expect((await findViolations(page, { tags: ['wcag2a'] })).map(([rule]) => rule)).toEqual(['image-alt'])
    await page.setContent('<!doctype html><html lang="en"><title>t</title><main><h1>h</h1></main>')
    expect(await findViolations(page)).toEqual([])
  })
})

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

/** Rules of a host for all elements outside SVG that the pages of the console use. */
const HOST_STYLE = `
  a, bdi, button, caption, code, dd, details, div:where(:not(.gatehouse)), dl, dt, fieldset, form, h1, h2, h3, img, input, label,
  legend, li, nav, ol, option, p, pre, section, select, span, strong, summary, table, tbody, td, textarea, th, thead, time, tr, ul {
    display: block; float: left; margin: 7px; padding: 7px; border: 3px dashed red; color: red; background: yellow;
    font: italic 30px serif; text-transform: uppercase; letter-spacing: 3px; box-shadow: 0 0 9px red; max-height: 50px;
  }`

/** A script: the size of each element inside the console, and what the element looks like. */
const DESCRIBE_ELEMENTS = `[...document.querySelectorAll('.gatehouse *')].map((element) => {
  const { width, height } = element.getBoundingClientRect()
  const { display, color, fontSize, fontStyle, boxShadow, float } = getComputedStyle(element)
  const look = [display, color, fontSize, fontStyle, boxShadow, float]
  return [element.tagName, element.getAttribute('class'), width, height, ...look].join(' ')
})`

describeWithChromium('the rules of a host for elements', () => {
  let host: ConsoleHost
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      mount(app, gatehouse) {
        for (const [path, style] of Object.entries({ '/plain': '', '/styled': HOST_STYLE })) {
          const layout = (_ctx: unknown, { body }: { body: string }) =>
            `<!doctype html><title>Host</title><style>${style}</style><main>${body}</main>`
          app.use(createConsole(gatehouse, { path, layout }))
        }
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  it('the pages of the console look the same with and without them', async () => {
    const { page } = await openPage(browser, host.origin, 'root')
    const elementsAt = async (address: string) => {
      await page.goto(host.origin + address)
      return page.evaluate<string[]>(DESCRIBE_ELEMENTS)
    }
    for (const path of [
      '/connected-applications',
      '/applications/new',
      '/token-inspector',
      '/operator/signing-keys',
      '/operator/health',
      '/activity',
    ]) {
      const plain = await elementsAt(`/plain${path}`)
      expect(plain.length).toBeGreaterThan(10)
      expect([path, await elementsAt(`/styled${path}`)]).toEqual([path, plain])
    }
    await page.context().close()
  })
})

import { chromium, type Browser } from 'playwright-core'
import { describe } from 'vitest'
import { BROWSERS, findProgram } from './required-programs.ts'

export const executablePath = findProgram(...BROWSERS)

const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * A `describe` that is skipped without Chromium. A message at the end of the test run reports the skipped
 * tests.
 */
export function describeWithChromium(name: string, suite: () => void): void {
  describe.skipIf(executablePath === undefined)(name, suite)
}

let shared: Promise<Browser> | undefined

/**
 * Returns a Chromium without background requests. The files of one worker share it, because a start takes as long as several
 * pages. `close()` closes its pages and profiles; it ends with the worker.
 *
 * @param options.keepsPages whether the browser keeps pages in memory for back and forward, as browsers of people do. Such a
 *   browser is not shared
 */
export async function startChromium({ keepsPages = false } = {}): Promise<Browser> {
  if (keepsPages) return launch(['--disable-back-forward-cache'])
  const known = await shared
  if (!known?.isConnected()) shared = launch()
  const browser = await (shared as Promise<Browser>)
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  }
  return browser
}

function launch(ignoreDefaultArgs: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: executablePath ?? '', args: QUIET, ignoreDefaultArgs })
}

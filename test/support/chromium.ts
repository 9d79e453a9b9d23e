import { chromium, type Browser } from 'playwright-core'
import { describe } from 'vitest'
import { BROWSERS, findProgram } from './required-programs.ts'

const executablePath = findProgram(...BROWSERS)

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

/**
 * Starts the system's Chromium without its background requests.
 *
 * @param options.keepsPages whether the browser keeps pages in memory for back and forward, as browsers of people do
 */
export function startChromium({ keepsPages = false } = {}): Promise<Browser> {
  const ignoreDefaultArgs = keepsPages ? ['--disable-back-forward-cache'] : []
  return chromium.launch({ executablePath: executablePath ?? '', args: QUIET, ignoreDefaultArgs })
}

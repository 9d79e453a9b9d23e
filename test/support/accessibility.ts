import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

/** axe without comments and long names, because the browser compiles it for each page. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A rule of accessibility that a page breaks, and the HTML of each element that breaks it. */
type Violation = readonly [rule: string, elements: readonly string[]]

/**
 * Checks a page with axe. Only violations are reported: axe does not describe the many elements that keep a rule, which
 * takes longer than the check.
 *
 * @param only the rules to check, by their tags or their names, and those of them to leave out. @default all rules that are
 *   on by default
 */
export async function findViolations(
  page: Page,
  only: {
    readonly tags?: readonly string[]
    readonly rules?: readonly string[]
    readonly except?: readonly string[]
  } = {},
): Promise<readonly Violation[]> {
  // A colour that is changing has no contrast yet.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const frame of page.frames()) await loadAxe(frame)
  const values = only.tags ?? only.rules
  const options = {
    resultTypes: ['violations'],
    ...(values && { runOnly: { type: only.tags ? 'tag' : 'rule', values } }),
    rules: Object.fromEntries((only.except ?? []).map((rule) => [rule, { enabled: false }])),
  }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** Loads axe into a frame. `@axe-core/playwright` would take four times as long for this. */
async function loadAxe(frame: Frame): Promise<void> {
  const sandbox = frame.parentFrame() && (await (await frame.frameElement()).getAttribute('sandbox'))
  // A frame that runs no scripts would report axe as an error.
  if (sandbox !== null || (await frame.evaluate('window.axe !== undefined'))) return
  await frame.evaluate(`${source}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`)
}

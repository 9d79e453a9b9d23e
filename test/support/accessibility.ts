import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** A rule of accessibility that a page breaks, and the HTML of each element that breaks it. */
type Violation = readonly [rule: string, elements: readonly string[]]

/**
 * Checks a page with axe. Only violations are reported: axe does not describe the many elements that keep a rule, which
 * takes longer than the check.
 *
 * @param tags the rules to check, by their tags. @default all rules that are on by default
 */
export async function findViolations(page: Page, tags?: readonly string[]): Promise<readonly Violation[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()
  const { violations } = await (tags ? axe.withTags([...tags]) : axe).analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

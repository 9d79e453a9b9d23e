import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** A rule of accessibility that a page breaks, and the HTML of each element that breaks it. */
type Violation = readonly [rule: string, elements: readonly string[]]

/**
 * Checks a page with axe. Only violations are reported: axe does not describe the many elements that keep a rule, which
 * takes longer than the check.
 *
 * @param only the rules to check, by their tags or their names. @default all rules that are on by default
 */
export async function findViolations(
  page: Page,
  only: { readonly tags?: readonly string[]; readonly rules?: readonly string[] } = {},
): Promise<readonly Violation[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()
  if (only.tags) axe.withTags([...only.tags])
  if (only.rules) axe.withRules([...only.rules])
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

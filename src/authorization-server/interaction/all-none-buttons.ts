import type { ScopeGroup } from './scope-choices.ts'

/** The buttons “All” and “None” of a group of scopes. */
export const GROUP_CHOICES = ['all', 'none'] as const

/** A pressed button that ticks or unticks a whole group of scopes. */
export interface GroupChoice {
  readonly choice: (typeof GROUP_CHOICES)[number]
  readonly group: string
}

/** Writes a choice as the value of its button. */
export function formatGroupChoice({ choice, group }: GroupChoice): string {
  return `${choice}:${group}`
}

/** Reads the value of the pressed button; undefined if the value is malformed. */
export function parseGroupChoice(value: string | null): GroupChoice | undefined {
  const [, word, group] = /^([a-z]+):(.+)$/.exec(value ?? '') ?? []
  const choice = GROUP_CHOICES.find((each) => each === word)
  return choice && group !== undefined ? { choice, group } : undefined
}

/**
 * The selected scopes after a choice. The selection of all other groups stays as it is. If the chosen group no longer
 * exists, the whole selection stays as it is.
 *
 * @param groups the groups of the page
 * @param selected the scopes that are ticked in the submitted form
 */
export function selectGroup(
  groups: readonly ScopeGroup[],
  selected: readonly string[],
  { choice, group }: GroupChoice,
): string[] {
  const scopes = groups.find(({ key }) => key === group)?.entries.map(({ scope }) => scope) ?? []
  const others = selected.filter((scope) => !scopes.includes(scope))
  return choice === 'all' ? [...others, ...scopes] : others
}

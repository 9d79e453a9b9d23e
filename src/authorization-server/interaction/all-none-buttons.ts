import type { ScopeGroup } from './scope-choices.ts'

export const GROUP_CHOICES = ['all', 'none'] as const

export interface GroupChoice {
  readonly choice: (typeof GROUP_CHOICES)[number]
  readonly group: string
}

export function formatGroupChoice({ choice, group }: GroupChoice): string {
  return `${choice}:${group}`
}

export function parseGroupChoice(value: string | null): GroupChoice | undefined {
  const [, word, group] = /^([a-z]+):(.+)$/.exec(value ?? '') ?? []
  const choice = GROUP_CHOICES.find((each) => each === word)
  return choice && group !== undefined ? { choice, group } : undefined
}

/** The selected scopes after “All” or “None” of a group was pressed. The group may no longer exist. */
export function selectGroup(
  groups: readonly ScopeGroup[],
  selected: readonly string[],
  { choice, group }: GroupChoice,
): string[] {
  const scopes = groups.find(({ key }) => key === group)?.entries.map(({ scope }) => scope) ?? []
  const others = selected.filter((scope) => !scopes.includes(scope))
  return choice === 'all' ? [...others, ...scopes] : others
}

import { expect, vi } from 'vitest'
import type { Health } from 'koa-gatehouse'

/** Calls `health()` at a time when its cached checks of the store have expired. */
export async function uncachedHealth(of: { health(): Promise<Health> }): Promise<Health> {
  const ahead = performance.now() + 1001
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ahead)
  const health = of.health()
  clock.mockRestore()
  return health
}

export const listOf = ({ checks }: Health) => checks.map(({ name, status }) => `${name} ${status}`)
export const checkOf = ({ checks }: Health, name: string) => checks.find((check) => check.name === name)

/**
 * Expects that every check has a readable message. A check that passes must have no remedy, and any other
 * check must have a remedy. The overall status must be the worst status of all checks.
 */
export function expectReadable({ checks, status }: Health): void {
  for (const check of checks) {
    expect([check.name, check.remedy === undefined]).toEqual([check.name, check.status === 'pass'])
    expect(check.message).not.toMatch(/undefined|NaN|\[object|\n/)
  }
  const worst = checks.some((check) => check.status === 'fail')
    ? 'fail'
    : checks.every((check) => check.status === 'pass')
      ? 'pass'
      : 'warn'
  expect(status).toBe(worst)
}

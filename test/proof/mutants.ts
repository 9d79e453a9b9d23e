import type { Patch } from './fleet.ts'
export interface Mutant {
  readonly name: string
  readonly patches: readonly Patch[]
  readonly countsWaitAsRedis72?: boolean
}
export const MUTANTS: readonly Mutant[] = []

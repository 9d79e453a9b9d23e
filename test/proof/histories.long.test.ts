import { describeMutants, describeRuns } from './describe-runs.ts'
import { MUTANTS } from './mutants.ts'

describeRuns(['pair', 'sentinel'])
describeMutants(MUTANTS)

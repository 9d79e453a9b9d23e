import { describeRuns } from './describe-runs.ts'
import { MUTANTS } from './mutants.ts'

describeRuns(['pair', 'sentinel'], MUTANTS.slice(1))

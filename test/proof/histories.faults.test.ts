import { describeRuns } from './describe-runs.ts'
import { MUTANTS } from './mutants.ts'

// With replicas, a run takes a minute, so `npm run test:long` makes it.
describeRuns(['alone'], MUTANTS.slice(0, 1))

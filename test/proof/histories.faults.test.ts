import { describeRuns } from './describe-runs.ts'

// `npm run test:long` makes the runs with replicas, which take a minute each, and those that find mutants.
describeRuns(['alone'])

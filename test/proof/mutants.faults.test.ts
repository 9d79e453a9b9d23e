import { describeMutants } from './describe-mutants.ts'
import { MUTANTS } from './mutants.ts'

// One run shows that the checks can fail. `npm run test:long` makes the others, which take minutes.
describeMutants(MUTANTS.slice(0, 1))

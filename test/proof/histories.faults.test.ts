import { describeHistories } from './describe-histories.ts'

// With replicas, a run takes a minute, so `npm run test:long` makes it.
describeHistories(['alone'])

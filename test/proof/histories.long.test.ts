import { describeHistories } from './describe-histories.ts'

describeHistories(['pair', 'sentinel'])

import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { limitsOnRedis } from './limits-on-redis.ts'

describeWithRedis('limits on a Redis that is frozen for a minute', () => limitsOnRedis().itStaysFast(60_000))

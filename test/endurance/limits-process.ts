/** One process of `limits.ts`: a host that limits calls. */
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { startHost } from '../../bench/host.ts'
import { createLimits } from '../../src/limits.ts'
import { answerQuestions, createTokens } from './key-process.ts'
import { PER_MINUTE } from './limits.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly servicePort: number
  readonly redisUrl: string
}

/** What a process can be asked for: tokens of new clients. */
export type Ask = 'tokens'

const { port, servicePort, redisUrl } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const store = redisStore(new Redis(redisUrl))
const host = await startHost({ store, port, servicePort })
createLimits(host.gatehouse, { perMinute: PER_MINUTE })
answerQuestions({
  tokens: async (count: number) => (await createTokens(host, count)).map(({ token }) => token),
})

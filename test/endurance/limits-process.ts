/** One process of `limits.ts` or `one-of-many.ts`: a host behind a proxy that limits calls. */
import { Redis } from 'ioredis'
import Koa from 'koa'
import { redisStore } from '../../adapters/redis.ts'
import { CALLBACK, startHost } from '../../bench/host.ts'
import { createLimits } from '../../src/limits.ts'
import { answerQuestions, createTokens } from './key-process.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly servicePort: number
  readonly redisUrl: string
  readonly perMinute: number
}

/** What a process can be asked for: tokens of new clients, or the id of a public application. */
export type Ask = 'tokens' | 'application'

const { port, servicePort, redisUrl, perMinute } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const store = redisStore(new Redis(redisUrl))
const app = new Koa({ proxy: true, maxIpsCount: 1 })
const host = await startHost({ store, port, servicePort, app, gatehouse: { publicApplications: true } })
createLimits(host.gatehouse, { perMinute })
answerQuestions({
  tokens: async (count: number) => (await createTokens(host, count)).map(({ token }) => token),
  async application() {
    const { applications } = host.gatehouse
    const { application } = await applications.create({
      accountId: 'acme',
      name: 'Public',
      isPublic: true,
      products: ['payments'],
      redirectUris: [CALLBACK],
    })
    await applications.setFirstParty(application.clientId, true)
    return application.clientId
  },
})

import type { Redis } from 'ioredis'
import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Models that are part of a grant. */
const GRANTABLE = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])
/** Models that can be consumed. They are hashes, so that consuming one sets one field. */
const CONSUMABLE = new Set(['AuthorizationCode', 'RefreshToken'])

/**
 * The adapter for Redis that oidc-provider's repository shows in `example/adapters/redis.js`: the same keys and the
 * same commands, without the models for device codes, which the bench does not use.
 */
export function createRedisAdapter(redis: Redis): new (name: string) => Adapter {
  return class RedisAdapter {
    readonly #name: string

    constructor(name: string) {
      this.#name = name
    }

    async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
      const key = this.#key(id)
      const text = JSON.stringify(payload)
      const transaction = redis.multi()
      if (CONSUMABLE.has(this.#name)) transaction.hset(key, { payload: text })
      else transaction.set(key, text)
      if (expiresIn) transaction.expire(key, expiresIn)
      if (GRANTABLE.has(this.#name) && payload.grantId !== undefined) {
        const grantKey = `grant:${payload.grantId}`
        transaction.rpush(grantKey, key)
        if (expiresIn > (await redis.ttl(grantKey))) transaction.expire(grantKey, expiresIn)
      }
      if (payload.uid !== undefined) transaction.set(`uid:${payload.uid}`, id, 'EX', expiresIn)
      await transaction.exec()
    }

    async find(id: string): Promise<AdapterPayload | undefined> {
      if (CONSUMABLE.has(this.#name)) {
        const { payload, ...rest } = await redis.hgetall(this.#key(id))
        return payload === undefined ? undefined : { ...rest, ...(JSON.parse(payload) as AdapterPayload) }
      }
      const text = await redis.get(this.#key(id))
      return text === null ? undefined : (JSON.parse(text) as AdapterPayload)
    }

    async findByUid(uid: string): Promise<AdapterPayload | undefined> {
      const id = await redis.get(`uid:${uid}`)
      return id === null ? undefined : this.find(id)
    }

    async findByUserCode(): Promise<undefined> {}

    async consume(id: string): Promise<void> {
      await redis.hset(this.#key(id), 'consumed', Math.floor(Date.now() / 1000))
    }

    async destroy(id: string): Promise<void> {
      await redis.del(this.#key(id))
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      const keys = await redis.lrange(`grant:${grantId}`, 0, -1)
      await redis.del(...keys, `grant:${grantId}`)
    }

    #key(id: string): string {
      return `${this.#name}:${id}`
    }
  }
}

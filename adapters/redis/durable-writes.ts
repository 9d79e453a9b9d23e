import { GatehouseError } from '../../src/errors.ts'
import type { PipelineReply, RedisClient, RedisCommand } from './client.ts'
import { addressOf, anyNode, connect } from './connect.ts'
import { isNoScript, storeFailure } from './errors.ts'
import { createLane, LaneGivenUp, type LaneReply } from './wait-connection.ts'
import type { Durability } from './options.ts'
import { redirectionOf } from './redirection.ts'
import { slotOf } from './slot.ts'
import { carryOut, type Write } from './write-commands.ts'

type Lane = ReturnType<typeof createLane>

/** Nodes that a write is sent to before it is given up, as with ioredis. */
const MAX_NODES = 16

/** The only server there is, where it is no cluster. */
const THE_SERVER = ''

/**
 * Writes that settle only when enough replicas have confirmed them. Each server has a lane of its own, opened
 * when it is first written to; a write that a cluster's node sends elsewhere goes there, and WAIT with it. The lanes
 * end with the client.
 */
export function createDurableWrites(client: RedisClient, durability: Durability) {
  const lanes = new Map<string, Promise<Lane>>()
  const { commandTimeout, keyPrefix = '' } = client.options ?? {}
  const settings = {
    // WAIT takes its time besides.
    ...(typeof commandTimeout === 'number' && { commandTimeout: commandTimeout + durability.timeoutMs }),
  }

  function laneTo(address: string): Promise<Lane> {
    const known = lanes.get(address)
    if (known) return known
    if (client.status === 'end') return Promise.reject(new Error('Connection is closed.'))
    const forget = () => {
      if (lanes.get(address) === lane) lanes.delete(address)
    }
    const lane = connect(client, { ...settings, ...(address !== THE_SERVER && { address }) }).then(
      (connection) => createLane(connection, durability, forget),
    )
    lane.catch(forget)
    lanes.set(address, lane)
    return lane
  }

  function closeLanes(): void {
    for (const lane of lanes.values()) lane.then((opened) => opened.close()).catch(() => {})
    lanes.clear()
  }
  // An open connection keeps a process alive, and the host closes its own one, not ours.
  client.on('end', closeLanes)

  async function addressFor(key: string): Promise<string> {
    if (!client.isCluster) return THE_SERVER
    return client.slots?.[slotOf(keyPrefix + key)]?.[0] ?? addressOf(await anyNode(client))
  }

  /** Sends a command to whoever has its key now. A node that sends it elsewhere has not executed it. */
  async function send(key: string, command: RedisCommand): Promise<LaneReply> {
    let address = await addressFor(key)
    let asking = false
    for (let attempt = 1; ; attempt += 1) {
      try {
        const lane = await laneTo(address)
        return await lane.send(command, { asking })
      } catch (error) {
        if (error instanceof LaneGivenUp && attempt < MAX_NODES) continue
        if (!client.isCluster || isNoScript(error)) throw error
        const elsewhere = redirectionOf(error, address, client.options)
        // While a slot is on the move, its master stays the one to begin with.
        if (!elsewhere?.asking) lookAgain(key)
        if (!elsewhere || attempt === MAX_NODES) throw error
        ;({ address, asking } = elsewhere)
      }
    }
  }

  let isLooking = false
  /** Lets the host's client find out who has a key: it learns that only from commands of its own. */
  function lookAgain(key: string): void {
    if (isLooking) return
    isLooking = true
    client
      .pipeline([['exists', key]])
      .exec()
      .catch(() => {})
      .finally(() => (isLooking = false))
  }

  return {
    /**
     * @returns whether it was done; one that was rejected is not waited for
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` if it was not, or is not known to be, on enough replicas
     */
    async write(one: Write): Promise<boolean> {
      const { key, isDone, isNoDoneBefore = false } = one
      const { reply, waited } = await carryOut(one, (command) => send(key, command))
      const isDoneNow = isDone(reply)
      if (isDoneNow || isNoDoneBefore) requireReplicas(waited, durability)
      return isDoneNow
    },
    close() {
      client.off('end', closeLanes)
      closeLanes()
    },
  }
}

/** WAIT answers how many replicas have all that was written when its connection sent its last command. */
function requireReplicas([error, reply]: PipelineReply, { replicas, timeoutMs }: Durability): void {
  if (error) {
    const why = /unknown command/i.test(error.message)
      ? 'this Redis does not know WAIT; leave durability out, or take one that does'
      : storeFailure(error).message
    throw uncertain(`no replica is known to have a write: ${why}`, error)
  }
  const copies = typeof reply === 'number' || typeof reply === 'string' ? Number(reply) : Number.NaN
  if (!Number.isInteger(copies) || reply === '') {
    throw uncertain('Redis answers WAIT with something that is no number; is there a proxy in between?')
  }
  if (copies >= replicas) return
  throw uncertain(
    `${copies} of ${replicas} replicas have a write after ${timeoutMs} ms; look at the replicas of its master (INFO replication)`,
  )
}

function uncertain(message: string, cause?: unknown): GatehouseError {
  return new GatehouseError(
    'ERR_STORE_UNAVAILABLE',
    `${message}. The write may have been applied`,
    cause === undefined ? {} : { cause },
  )
}

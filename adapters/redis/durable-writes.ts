// Model: test/proof/models/refresh-family.pml
import { storeUnavailable, type GatehouseError } from '../../src/errors.ts'
import type { PipelineReply, RedisClient, RedisCommand } from './client.ts'
import { addressOf, anyNode, connect } from './connect.ts'
import { isNoScript, storeFailure } from './errors.ts'
import { createWaitConnection, WaitConnectionClosed, type WaitReply } from './wait-connection.ts'
import type { Durability } from './options.ts'
import { redirectionOf } from './redirection.ts'
import { slotOf } from './slot.ts'
import { execute, type Write } from './write-commands.ts'

type WaitConnection = ReturnType<typeof createWaitConnection>

/** The maximum number of nodes to which one redirected write is sent, as in ioredis. */
const MAX_NODES = 16

/** The key of the only connection if there is no cluster. In a cluster, the keys are addresses of nodes. */
const SINGLE_SERVER = ''

/** Makes writes that resolve only when enough replicas have confirmed them. */
export function createDurableWrites(client: RedisClient, durability: Durability) {
  const connections = new Map<string, Promise<WaitConnection>>()
  const { commandTimeout, keyPrefix = '' } = client.options ?? {}
  // WAIT may take `durability.timeoutMs`, so the client's timeout for commands is extended by this time.
  const settings =
    typeof commandTimeout === 'number' ? { commandTimeout: commandTimeout + durability.timeoutMs } : {}

  function connectionTo(address: string): Promise<WaitConnection> {
    const known = connections.get(address)
    if (known) return known
    if (client.status === 'end') return Promise.reject(new Error('Connection is closed.'))
    const remove = () => {
      if (connections.get(address) === opening) connections.delete(address)
    }
    const opening = connect(client, { ...settings, ...(address !== SINGLE_SERVER && { address }) }).then(
      (connection) => createWaitConnection(connection, durability, remove),
    )
    opening.catch(remove)
    connections.set(address, opening)
    return opening
  }

  function closeConnections(): void {
    for (const opening of connections.values()) opening.then((opened) => opened.close()).catch(() => {})
    connections.clear()
  }
  // An open connection keeps the process alive, and the host closes only its own client.
  client.on('end', closeConnections)

  async function addressFor(key: string): Promise<string> {
    if (!client.isCluster) return SINGLE_SERVER
    return client.slots?.[slotOf(keyPrefix + key)]?.[0] ?? addressOf(await anyNode(client))
  }

  /** A node that redirects a command has not executed it. */
  async function send(key: string, command: RedisCommand): Promise<WaitReply> {
    let address = await addressFor(key)
    let asking = false
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = await connectionTo(address)
        return await connection.send(command, { asking })
      } catch (error) {
        if (error instanceof WaitConnectionClosed && attempt < MAX_NODES) continue
        if (!client.isCluster || isNoScript(error)) throw error
        const redirection = redirectionOf(error, address, client.options)
        // ASK needs no refresh: while a slot migrates, its master is still the node that the client knows.
        if (!redirection?.asking) refreshSlots(key)
        if (!redirection || attempt === MAX_NODES) throw error
        ;({ address, asking } = redirection)
      }
    }
  }

  let isRefreshing = false
  /** The host's client learns which node has a key only from its own commands. */
  function refreshSlots(key: string): void {
    if (isRefreshing) return
    isRefreshing = true
    client
      .pipeline([['exists', key]])
      .exec()
      .catch(() => {})
      .finally(() => (isRefreshing = false))
  }

  return {
    /** A `create` or `replace` that was not done needs no replica. */
    async write(write: Write): Promise<boolean> {
      const { key, durable, isDone } = write
      const { reply, waited } = await execute({ ...write, ...durable }, (command) => send(key, command))
      const isDoneNow = isDone?.(reply) ?? true
      if (isDoneNow || durable) requireReplicas(waited, durability)
      return isDoneNow
    },
    close() {
      client.off('end', closeConnections)
      closeConnections()
    },
  }
}

/** WAIT returns the number of replicas that have all earlier writes of its connection. */
function requireReplicas([error, reply]: PipelineReply, { replicas, timeoutMs }: Durability): void {
  if (error) {
    // Relies on: if Redis does not know a command, it answers with the code `ERR` and this text.
    const why = /unknown command/i.test(error.message)
      ? 'this Redis does not know WAIT; leave durability out, or use a Redis that does'
      : storeFailure(error).message
    throw uncertain(`no replica is known to have a write: ${why}`, error)
  }
  const copies = typeof reply === 'number' || typeof reply === 'string' ? Number(reply) : Number.NaN
  if (!Number.isInteger(copies) || reply === '') {
    throw uncertain('Redis answers WAIT with something other than a number; is there a proxy in between?')
  }
  if (copies >= replicas) return
  throw uncertain(
    `${copies} of ${replicas} replicas have a write after ${timeoutMs} ms; check the replicas of the master (INFO replication)`,
  )
}

function uncertain(message: string, cause?: unknown): GatehouseError {
  return storeUnavailable(`${message}. The write may have been applied`, cause)
}

// Model: test/proof/models/refresh-family.pml
import { createHash } from 'node:crypto'
import type { RedisCommand } from './client.ts'

/** `withText` contains the text of the script, for a server that does not have the script. */
export interface ScriptCall {
  readonly command: RedisCommand
  readonly withText: RedisCommand
}

/** Redis runs the script atomically. */
function createScript(text: string): (keys: string | string[], ...args: (string | number)[]) => ScriptCall {
  const sha1 = createHash('sha1').update(text).digest('hex')
  return (keys, ...args) => {
    const all = [[keys].flat().length, keys, args].flat()
    return { command: ['evalsha', sha1, ...all], withText: ['eval', text, ...all] }
  }
}

/** MGET would answer that a key whose value has the wrong type is absent. */
export const getMany = createScript(`
local values = {}
for at, key in ipairs(KEYS) do values[at] = redis.call('GET', key) end
return values`)

export const compareAndSwap = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2])
end
return 1`)

/** Runs all write commands without effect. Redis 7.0 does not name a forbidden command within a script: this does. */
export const requireRights = (key: string, channel: string): RedisCommand => [
  'eval',
  `
local commands = {
  { 'get', KEYS[1] }, { 'set', KEYS[1], '', 'XX' }, { 'del', KEYS[1] }, { 'zadd', KEYS[1], 'XX', 0, '' },
  { 'zrem', KEYS[1], '' }, { 'zrangebylex', KEYS[1], '-', '+' }, { 'pttl', KEYS[1] },
  { 'expire', KEYS[1], 1 }, { 'persist', KEYS[1] }, { 'publish', ARGV[1], '' }
}
for _, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  local problem = type(reply) == 'table' and reply.err or ''
  if string.find(problem, "can't run") or string.find(problem, 'permissions to run') then
    return redis.error_reply("NOPERM no permissions to run the '" .. command[1] .. "' command")
  end
end`,
  1,
  key,
  channel,
]

/** PTTL is -2 for a new index, and -1 for a permanent index. `changes` is 0 if nothing changed. */
const ADD = `
local life = redis.call('PTTL', KEYS[1])
local changes = redis.call('ZADD', KEYS[1], 0, ARGV[1])
if not ARGV[2] then
  changes = changes + redis.call('PERSIST', KEYS[1])
elseif life == -2 or (life >= 0 and life < ARGV[2] * 1000) then
  changes = changes + redis.call('EXPIRE', KEYS[1], ARGV[2])
end`

export const add = createScript(`${ADD}
return 1`)

/**
 * The Lua scripts. Adds to the present slot of a counter: an amount, and as much of a claim as the sum does not exceed
 * a maximum. Answers with the time of the server in milliseconds, what was claimed, and the counts of the slots, the
 * newest first. The value is a text such as `29:5 30:2`: slots and their counts. Slots in the future, as after a change
 * of the server's clock, are dropped.
 */
export const countInSlots = createScript(`
local amount, length, slots = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local claim, max = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local present = math.floor(ms / 1000 / length)
local counts = {}
for slot, count in string.gmatch(redis.call('GET', KEYS[1]) or '', '(%d+):(%d+)') do
  counts[tonumber(slot)] = tonumber(count)
end
local sum = 0
for slot = present - slots + 1, present do sum = sum + (counts[slot] or 0) end
local claimed = math.max(0, math.min(claim, max - sum - amount))
amount = amount + claimed
if amount > 0 then
  counts[present] = (counts[present] or 0) + amount
  local kept = {}
  for slot = present - slots + 1, present do
    if counts[slot] then kept[#kept + 1] = string.format('%.0f:%.0f', slot, counts[slot]) end
  end
  redis.call('SET', KEYS[1], table.concat(kept, ' '), 'EX', length * slots)
end
local reply = { ms, claimed }
for slot = present, present - slots + 1, -1 do reply[#reply + 1] = counts[slot] or 0 end
return reply`)

/**
 * The durable forms of the writes that may find nothing to change. Replicas have to confirm such a write even if
 * nothing changes, because an earlier, unconfirmed write may have made the change. But since Redis 7.2, and in Valkey,
 * WAIT waits only for the last command of its connection that replicated something. So a script that has nothing to
 * change makes a change to its key and undoes it. Replicas apply the change after all earlier writes of the key.
 * A full Redis rejects a script whose first write needs memory. So the scripts read first, and one that deletes works.
 */
export const durable = {
  add: createScript(`${ADD}
if changes == 0 then
  redis.call('ZADD', KEYS[1], 1, ARGV[1])
  redis.call('ZADD', KEYS[1], 0, ARGV[1])
end
return 1`),

  // All members have the score 0, as ZRANGEBYLEX requires.
  remove: createScript(`
local member = '[' .. ARGV[1]
if #redis.call('ZRANGEBYLEX', KEYS[1], member, member) == 0 then
  redis.call('ZADD', KEYS[1], 0, ARGV[1])
end
return redis.call('ZREM', KEYS[1], ARGV[1])`),

  // Because of the time to live, the key disappears even if the Redis user of the client has no right to DEL.
  delete: createScript(`
local found = redis.call('EXISTS', KEYS[1])
if found == 0 then
  redis.call('SET', KEYS[1], '', 'EX', 1)
end
redis.call('DEL', KEYS[1])
return found`),
}

import { createScript } from './lua-script.ts'

/**
 * Replaces the text under a key, atomically, if the text equals the expected text. Answers 1 if the text was
 * replaced.
 */
export const compareAndSwap = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2])
end
return 1`)

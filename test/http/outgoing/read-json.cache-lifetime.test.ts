import { expect, it } from 'vitest'
import { cacheLifetime } from '../../../src/http/outgoing/read-json.ts'

const LIFETIMES: [headers: Record<string, string>, seconds: number | undefined][] = [
  [{}, undefined],
  [{ 'cache-control': '' }, undefined],
  [{ 'cache-control': 'public' }, undefined],
  [{ 'cache-control': 'max-stale=60, s-max-age=5' }, undefined],
  [{ 'cache-control': 'max-age=3600' }, 3600],
  [{ 'cache-control': 'public,max-age=3600' }, 3600],
  [{ 'cache-control': 'Public, MAX-AGE="3600"' }, 3600],
  [{ 'cache-control': 'max-age=60, max-age=30' }, 30],
  [{ 'cache-control': 'max-age=3600', age: '600' }, 3000],
  [{ 'cache-control': 'max-age=3600', age: '7200' }, 0],
  [{ 'cache-control': 'max-age=3600', age: 'old' }, 3600],
  [{ 'cache-control': 'max-age=99999999999999999999' }, 2 ** 31],
  [{ 'cache-control': 'max-age=-1' }, 0],
  [{ 'cache-control': 'max-age=1e9' }, 0],
  [{ 'cache-control': 'max-age' }, 0],
  [{ 'cache-control': 'max-age = 60' }, 0],
  [{ 'cache-control': 'no-store' }, 0],
  [{ 'cache-control': 'max-age=3600, no-store' }, 0],
  [{ 'cache-control': 'No-Cache, max-age=3600' }, 0],
  [{ 'cache-control': 'private="set-cookie", max-age=3600' }, 0],
  [{ 'cache-control': 'extension="no-store, private", max-age=3600' }, 3600],
  [{ 'cache-control': 'max-age=3600', vary: '*' }, 0],
  [{ 'cache-control': 'max-age=3600', vary: 'Accept, *' }, 0],
  [{ 'cache-control': 'max-age=3600', vary: 'Accept, Origin' }, 3600],
  [{ vary: '*' }, 0],
]

it('a response may be stored as long as its headers say, and no longer', () => {
  expect(LIFETIMES.map(([headers]) => [headers, cacheLifetime(headers)])).toEqual(LIFETIMES)
})

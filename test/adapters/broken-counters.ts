import type { Store } from '../../src/store/contract.ts'
import type { BrokenStore } from './broken-store.ts'

type Count = NonNullable<Store['count']>

const counting = (count: Count): Partial<Store> => ({ count })

/** Stores that break a promise about counters. */
export const brokenCounters: readonly BrokenStore[] = [
  {
    breaks: 'count loses every second amount',
    methods({ count }) {
      let calls = 0
      return counting((key, amount, options) => {
        calls += 1
        return count!(key, calls % 2 === 0 ? 0 : amount, options)
      })
    },
    noticedBy: 'count adds up what all stores count at the same time',
  },
  {
    breaks: 'count grants every claim',
    methods: ({ count }) =>
      counting(async (key, amount, options) => {
        const found = await count!(key, amount, options)
        return { ...found, claimed: options.claim }
      }),
    noticedBy: 'stores that claim at the same time get no more than the maximum',
  },
  {
    breaks: 'count answers its time in seconds',
    methods: ({ count }) =>
      counting(async (...args) => {
        const found = await count!(...args)
        return { ...found, time: found.time / 1000 }
      }),
    noticedBy: 'count answers with the time in milliseconds',
  },
  {
    breaks: 'count keeps all slots',
    methods: ({ count }) =>
      counting((key, amount, options) => count!(key, amount, { ...options, slotSeconds: 1000 })),
    noticedBy: 'count answers with the time in milliseconds',
  },
]

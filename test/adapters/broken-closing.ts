import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { nothing, type BrokenStore } from './broken-store.ts'

/** Stores that break a promise about closing. */
export const brokenClosing: readonly BrokenStore[] = [
  {
    breaks: 'after close, methods throw',
    methods: (intact) => {
      let closed = false
      return {
        ping: () => {
          if (closed) throw new Error('closed')
          return intact.ping()
        },
        close: () => ((closed = true), intact.close()),
      }
    },
    noticedBy: 'after close every method rejects',
  },
  {
    breaks: 'after close, inspect answers',
    methods: () => ({ inspect: async () => ({ checks: [] }) }),
    noticedBy: 'after close every method rejects',
  },
  {
    breaks: 'close leaves the durable store open',
    methods: () => ({ durable: memoryStore() }),
    noticedBy: 'after close every method rejects',
  },
  {
    breaks: 'a second close fails',
    methods: () => {
      let closed = false
      return {
        close: async () => {
          if (closed) throw new Error('already closed')
          closed = true
        },
      }
    },
    message: 'already closed',
    noticedBy: 'close may be called repeatedly',
  },
  {
    breaks: 'close does nothing',
    methods: () => ({ close: nothing }),
    noticedBy: 'after close every method rejects',
  },
]

import * as v from 'valibot'
import { isDay } from '../../validation/predicates.ts'

/**
 * A time of the services, in epoch seconds. An answer contains this time as ISO 8601 in UTC: `2026-07-01T09:30:00Z`.
 */
export const secondsAsTime = v.pipe(
  v.number(),
  v.transform((seconds) => new Date(Math.floor(seconds) * 1000).toISOString().replace('.000Z', 'Z')),
  v.string(),
  v.isoTimestamp(),
)

/**
 * A time of the services, in milliseconds since the epoch. An answer contains this time as `2026-07-01T09:30:00.125Z`.
 */
export const millisecondsAsTime = v.pipe(
  v.number(),
  v.transform((milliseconds) => new Date(milliseconds).toISOString()),
  v.string(),
  v.isoTimestamp(),
)

/** A time of a query, such as `2026-07-01T09:30:00Z`, in epoch seconds. */
export const timeAsSeconds = (description: string) =>
  v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.description(description),
    v.transform((time) => (isDay(time.slice(0, 10)) ? Math.floor(Date.parse(time) / 1000) : Number.NaN)),
    // Some texts have the form of a timestamp, but are no time: the 30th of February, or an offset such as `+05`.
    v.check((seconds) => Number.isFinite(seconds)),
  )

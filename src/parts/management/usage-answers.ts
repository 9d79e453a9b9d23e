import * as v from 'valibot'
import { secondsAsTime } from './times.ts'

const text = v.string()

/** A number of API calls. */
const UsageRow = v.object({
  at: v.optional(v.pipe(secondsAsTime, v.description('The start of the hour or day'))),
  clientId: v.optional(text),
  operation: v.optional(
    v.pipe(text, v.description('A scope, `POST /oauth2/token` for token requests, or `other operations`')),
  ),
  result: v.optional(v.picklist(['successful', 'rejected', 'failed'])),
  outcome: v.optional(v.pipe(text, v.description('What became of the calls'))),
  count: v.number(),
})

const uncalled = v.pipe(
  v.array(text),
  v.description('Scopes; absent if usage has been counted for fewer days'),
)

/** The schemas of answers about usage, each with its name in the OpenAPI document. */
export const USAGE_ANSWERS = {
  UsageRows: v.object({ items: v.array(UsageRow) }),
  TopClients: v.object({ items: v.array(v.object({ clientId: text, calls: v.number() })) }),
  UncalledOperations: v.object({ items: v.optional(uncalled) }),
}

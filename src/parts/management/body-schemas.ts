import { OVERLAP_SECONDS } from '../../clients/secret-rotation.ts'
import { bodyRules } from '../../clients/rules-from-fields.ts'
import { MAX_KEY_LENGTH, publicKeyRule } from '../../clients/jwk-set.ts'
import type { Client, NewApplication } from '../../clients/client.ts'
import type { WithKeys, WithNewSecret } from '../../clients/create-client.ts'
import { MAX_LEAK_LENGTH } from '../../host/change-options.ts'
import * as json from '../../validation/json-rules.ts'
import type { Rule } from '../../validation/rules.ts'

const optional = json.optional

/** The owner comes from the session. The compiler cannot check that the rules have this result. */
type NewClientBody = Omit<NewApplication, 'accountId' | 'userId' | 'createdBy'> & (WithNewSecret | WithKeys)

const newClient = (kind: Client['kind']) =>
  json.exactObject(bodyRules(kind, 'creation')) as Rule as Rule<NewClientBody>

const limit = json.integer({ minimum: 1, maximum: 1_000_000_000 })

/** The fields of all bodies, each rule with its name in the OpenAPI document. The services check the values further. */
export const BODIES = {
  NewApiKey: newClient('apiKey'),
  ApiKeyChanges: json.exactObject(bodyRules('apiKey', 'change')),
  NewApplication: newClient('application'),
  ApplicationChanges: json.exactObject(bodyRules('application', 'change')),
  NewKey: json.exactObject({ key: publicKeyRule }),
  NewOwner: json.exactObject({
    userId: json.described(json.nullable(json.text), 'null for the account'),
  }),
  NewLimits: json.exactObject({
    perMinute: optional(limit, 'API calls a minute'),
    perDay: optional(limit, 'API calls a day'),
  }),
  Rotation: json.exactObject({
    overlapSeconds: optional(json.integer({ minimum: 0, maximum: OVERLAP_SECONDS.max })),
  }),
  LeakedSecret: json.exactObject({
    secret: json.textOf({ minLength: 1, maxLength: MAX_KEY_LENGTH }),
    leakSource: optional(
      json.textOf({ maxLength: MAX_LEAK_LENGTH.source }),
      'Where the secret was found, such as `commit`',
    ),
    leakUrl: optional(
      json.textOf({ maxLength: MAX_LEAK_LENGTH.url }),
      'The address at which the secret was found',
    ),
  }),
} satisfies Record<string, Rule>

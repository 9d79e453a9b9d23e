const text = { type: 'string' } as const

const BODY = {
  'application/json': {
    schema: {
      type: 'object',
      properties: {
        error: { ...text, description: 'A code; absent if no token was sent' },
        error_description: text,
      },
      required: ['error_description'],
    },
  },
} as const

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'What the call needs (RFC 6750 3), with `error`, `scope` and `resource_metadata`',
    schema: text,
  },
} as const

const RETRY = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } } as const

/** The error responses of a gateway, by status. */
export const errorResponses = {
  '400': { description: 'The token was not sent as RFC 6750 requires', headers: CHALLENGE, content: BODY },
  '401': { description: 'There is no token, or it is not valid', headers: CHALLENGE, content: BODY },
  '403': {
    description: 'The token does not carry the scope, or its client may not be used from this address',
    headers: CHALLENGE,
    content: BODY,
  },
  '404': { description: 'There is no operation with this method and path', content: BODY },
  '429': {
    description: 'The client has made as many calls as it may make',
    headers: {
      ...RETRY,
      RateLimit: { description: 'The calls that are left: `r`, and seconds: `t`', schema: text },
      'RateLimit-Policy': { description: 'The limits: `q` calls in `w` seconds', schema: text },
    },
    content: {
      'application/problem+json': {
        schema: {
          type: 'object',
          properties: {
            type: { ...text, format: 'uri' },
            title: text,
            status: { type: 'integer' },
            'violated-policies': { type: 'array', items: text },
            error: text,
            error_description: text,
          },
          required: ['type', 'title', 'status', 'violated-policies'],
        },
      },
    },
  },
  '503': { description: 'Tokens cannot be checked at the moment', headers: RETRY, content: BODY },
} as const

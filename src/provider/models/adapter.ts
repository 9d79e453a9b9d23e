import type { Adapter, AdapterPayload } from 'oidc-provider'

/**
 * What oidc-provider stores, without what it never does with a model: a call that nobody thought of is an
 * error of ours, and must not look like "nothing found".
 */
export function modelAdapter(model: string, methods: Partial<Adapter>): Adapter {
  const unused = (method: string) => async () => {
    throw new TypeError(`${model}.${method} is not supported`)
  }
  return {
    upsert: unused('upsert'),
    find: unused('find'),
    findByUid: unused('findByUid'),
    findByUserCode: unused('findByUserCode'),
    consume: unused('consume'),
    destroy: unused('destroy'),
    revokeByGrantId: unused('revokeByGrantId'),
    ...methods,
  }
}

/** A payload without its `jti`, which for most models is the credential itself. */
export function withoutId(payload: AdapterPayload): Omit<AdapterPayload, 'jti'> {
  const { jti: _credential, ...rest } = payload
  return rest
}

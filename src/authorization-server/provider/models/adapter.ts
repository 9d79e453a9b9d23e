import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { requestState } from '../request-state.ts'
import { isStoreUnavailable } from '../errors.ts'

/**
 * An adapter for one model of oidc-provider. Methods that oidc-provider never calls for that model throw: an
 * unexpected call is our bug, and must not look like "nothing found".
 *
 * When the store is unavailable for one call, later calls of the same request fail at once. After a failure,
 * oidc-provider still looks up the client, to see where to send the error, and saves the session.
 */
export function modelAdapter(model: string, methods: Partial<Adapter>): Adapter {
  const unused = (method: string) => async () => {
    throw new TypeError(`${model}.${method} is not supported`)
  }
  const adapter: Adapter = {
    upsert: unused('upsert'),
    find: unused('find'),
    findByUid: unused('findByUid'),
    findByUserCode: unused('findByUserCode'),
    consume: unused('consume'),
    destroy: unused('destroy'),
    revokeByGrantId: unused('revokeByGrantId'),
    ...methods,
  }
  return {
    upsert: failFast(adapter.upsert),
    find: failFast(adapter.find),
    findByUid: failFast(adapter.findByUid),
    findByUserCode: failFast(adapter.findByUserCode),
    consume: failFast(adapter.consume),
    destroy: failFast(adapter.destroy),
    revokeByGrantId: failFast(adapter.revokeByGrantId),
  }
}

function failFast<Arguments extends unknown[], Result>(
  method: (...args: Arguments) => Promise<Result>,
): (...args: Arguments) => Promise<Result> {
  return async (...args) => {
    const state = Provider.ctx && requestState(Provider.ctx)
    if (state?.unavailable) throw state.unavailable
    try {
      return await method(...args)
    } catch (error) {
      if (state && isStoreUnavailable(error)) state.unavailable = error
      throw error
    }
  }
}

/** A payload without its `jti`, which for most models is the credential itself. */
export function withoutId(payload: AdapterPayload): Omit<AdapterPayload, 'jti'> {
  const { jti: _credential, ...rest } = payload
  return rest
}

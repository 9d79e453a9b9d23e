import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { requestState } from '../request-state.ts'
import { isStoreUnavailable } from '../errors.ts'

/**
 * What oidc-provider stores, without what it never does with a model: a call that nobody thought of is an
 * error of ours, and must not look like "nothing found".
 *
 * A request that found the store away once does not wait for it again: having failed, oidc-provider still asks
 * for the client, to see where to send the error, and saves the session.
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

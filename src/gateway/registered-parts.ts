import type { GatewayParts } from './parts.ts'

const registered = new WeakMap<object, GatewayParts>()

/** Registers the parts that `partsOf` returns for a gateway. They stay hidden from callers. */
export function registerParts<Each extends object>(gateway: Each, parts: GatewayParts): Each {
  registered.set(gateway, parts)
  return gateway
}

/** @returns undefined if the gateway is not from this library */
export function partsOf(gateway: object): GatewayParts | undefined {
  return registered.get(gateway)
}

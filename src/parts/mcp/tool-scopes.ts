import { collectProblems, formatKey } from '../../errors.ts'
import type { GatewayDependencies } from '../../gateway/dependencies.ts'
import { isObject } from '../../validation/predicates.ts'

/**
 * The operations behind the tools of an MCP server: one or several scopes for each tool, by the name of the tool. One
 * scope alone is for all tools.
 */
export type ToolScopes<Scope extends string = string> =
  | Scope
  | { readonly [tool: string]: Scope | readonly [Scope, ...Scope[]] }

export interface ToolCalls {
  /** The scopes of all tools that the request calls; empty if it calls none. */
  readonly scopes: readonly string[]
  /** Why the request must not reach the MCP server, although its token may be valid. */
  readonly problem?: 'unreadable' | 'unknown-tool' | undefined
}

export type FindToolScopes = (tool: string) => readonly string[] | undefined

/**
 * The scopes of tools. `ERR_OPTIONS` without a tool, for a tool without a scope, or for a scope that no operation has.
 */
export function indexTools(
  tools: unknown,
  { isKnownScope }: Pick<GatewayDependencies, 'isKnownScope'>,
): FindToolScopes {
  const problems = collectProblems('ERR_OPTIONS', 'requireTool() cannot be satisfied')
  const check = (scopes: unknown, place: string): readonly string[] => {
    const list = (Array.isArray(scopes) ? scopes : [scopes]) as readonly unknown[]
    if (list.length === 0) problems.add(place, { code: 'empty', message: 'name at least one scope' })
    for (const scope of list) {
      if (typeof scope === 'string' && isKnownScope(scope)) continue
      const message =
        typeof scope === 'string'
          ? `no operation has the scope ${scope}`
          : 'must be the scope of an operation'
      problems.add(place, { code: typeof scope === 'string' ? 'not-found' : 'type', message })
    }
    return list as readonly string[]
  }

  if (!isObject(tools)) {
    const scopes = check(tools, 'tools')
    problems.throwIfAny()
    return () => scopes
  }
  const index = new Map(
    Object.entries(tools).map(([tool, scopes]) => [tool, check(scopes, `tools${formatKey(tool)}`)]),
  )
  if (index.size === 0) problems.add('tools', { code: 'empty', message: 'name at least one tool' })
  problems.throwIfAny()
  return (tool) => index.get(tool)
}

/** The tools that a body calls. Only JSON-RPC is readable: the MCP server might read a call in anything else. */
export function readToolCalls(body: unknown, findScopes: FindToolScopes): ToolCalls {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  const scopes = new Set<string>()
  let problem: ToolCalls['problem'] = messages.length === 0 ? 'unreadable' : undefined
  for (const message of messages) {
    const tool = readTool(message)
    const needed = tool === 'none' ? [] : tool && findScopes(tool.name)
    for (const scope of needed ?? []) scopes.add(scope)
    if (needed === undefined) problem ??= tool === undefined ? 'unreadable' : 'unknown-tool'
  }
  return { scopes: [...scopes], problem }
}

/** @returns undefined if the message is not readable */
function readTool(message: unknown): { readonly name: string } | 'none' | undefined {
  if (!isObject(message)) return undefined
  const method = own(message, 'method')
  if (method === undefined)
    return Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error') ? 'none' : undefined
  if (typeof method !== 'string') return undefined
  if (method !== 'tools/call') return 'none'
  const params = own(message, 'params')
  const name = isObject(params) ? own(params, 'name') : undefined
  return typeof name === 'string' ? { name } : undefined
}

/** A field that an object inherits is not in the JSON that was sent. */
function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

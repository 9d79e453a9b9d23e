export { mcpVerifier, type McpTokenVerifier, type McpVerifierOptions } from './parts/mcp/verifier.ts'
export {
  requireTool,
  type AcceptedTool,
  type RequireTool,
  type ToolRejection,
} from './parts/mcp/require-tool.ts'
export type { McpAuthInfo } from './parts/mcp/auth-info.ts'
export type { ToolScopes } from './parts/mcp/tool-scopes.ts'

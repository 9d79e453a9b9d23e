export { mcpVerifier, type McpTokenVerifier, type McpVerifierOptions } from './mcp/verifier.ts'
export { requireTool, type AcceptedTool, type RequireTool, type ToolRejection } from './mcp/require-tool.ts'
export type { McpAuthInfo } from './mcp/auth-info.ts'
export type { ToolScopes } from './mcp/tool-scopes.ts'

export { createConsole, type Console } from './console/console.ts'
export type { ConsoleOptions, ConsolePage, ConsolePartOptions } from './console/console-options.ts'
export type { ConsoleTexts } from './console/texts.ts'
export type { PolicyDirectives } from './http/security-headers.ts'

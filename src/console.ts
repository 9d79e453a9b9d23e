export { createConsole, type Console } from './parts/console/console.ts'
export type { ConsoleOptions, ConsolePage, ConsolePartOptions } from './parts/console/console-options.ts'
export type { ConsoleTexts } from './parts/console/texts.ts'
export type { PolicyDirectives } from './http/security-headers.ts'

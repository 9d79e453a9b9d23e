export { exportRegistry } from './backup/export.ts'
export {
  importRegistry,
  type ImportedRegistry,
  type ImportOptions,
  type RegistrySource,
} from './backup/import.ts'

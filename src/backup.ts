export { exportRegistry } from './parts/backup/export.ts'
export {
  importRegistry,
  type ImportedRegistry,
  type ImportOptions,
  type RegistrySource,
} from './parts/backup/import.ts'

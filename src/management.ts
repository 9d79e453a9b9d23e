export { createManagementApi, type ManagementOptions } from './parts/management/management-api.ts'

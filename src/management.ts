export { createManagementApi, type ManagementOptions } from './management/management-api.ts'

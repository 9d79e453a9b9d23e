export {
  createLeakReports,
  type LeakReportsOptions,
  type ReporterKey,
} from './parts/leak-reports/leak-reports.ts'

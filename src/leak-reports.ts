export { createLeakReports, type LeakReportsOptions, type ReporterKey } from './leak-reports/leak-reports.ts'

import { startTelemetry } from './start.ts'

await startTelemetry(process.env)

import { logs, SeverityNumber, type AnyValueMap } from '@opentelemetry/api-logs'

const severities: Record<string, SeverityNumber> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
}

type LogLine = AnyValueMap & { level: string; time: string; name: string; msg?: string }

/** Turns a written log line into a log record of OpenTelemetry, which belongs to the trace of the current context. */
export function emitLogRecord(line: string): void {
  const { level: severityText, time, msg, name, ...attributes } = JSON.parse(line) as LogLine
  logs.getLogger(name).emit({
    timestamp: new Date(time),
    severityText,
    severityNumber: severities[severityText] ?? SeverityNumber.UNSPECIFIED,
    body: msg ?? '',
    attributes,
  })
}
